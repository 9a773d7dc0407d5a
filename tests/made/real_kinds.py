"""Tables in the image of real ones that people try first: same columns, kinds, gaps, relations; values drawn.

Each function returns columns as a dictionary of NumPy arrays or lists, as a data frame would hold them.
Missing values are None in texts and NaN in numbers.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

Columns = dict[str, Any]

__all__ = [
    "KINDS",
    "air_quality",
    "baskets",
    "boats",
    "census",
    "diamonds",
    "digits",
    "flights",
    "flowers",
    "genes",
    "hair_and_eyes",
    "passengers",
    "penguins",
    "school_years",
    "sensors",
    "survey",
    "trial",
]


def _gap(values: np.ndarray, rows: np.ndarray) -> Any:
    """The values, missing in some rows."""
    if values.dtype.kind in "iuf":
        return np.where(rows, np.nan, values.astype(float))
    return [None if gone else str(value) for value, gone in zip(values, rows, strict=True)]


def penguins(seed: int = 1, rows: int = 344) -> Columns:
    """Species, island, sizes in whole numbers and tenths; two rows lack all sizes, some the sex."""
    draw = np.random.default_rng(seed)
    species = draw.choice(["Adelie", "Chinstrap", "Gentoo"], rows, p=[0.44, 0.2, 0.36])
    island = np.where(
        species == "Gentoo",
        "Biscoe",
        np.where(species == "Chinstrap", "Dream", draw.choice(["Biscoe", "Dream", "Torgersen"], rows)),
    )
    male = draw.random(rows) < 0.5
    large = species == "Gentoo"
    flipper = np.round(draw.normal(190 + 27 * large + 6 * male, 6))
    mass = np.round(draw.normal(3450 + 1300 * large + 650 * male, 250) / 25) * 25
    bill = np.round(draw.normal(39 + 9 * (species != "Adelie") + 3 * male, 2), 1)
    none = np.zeros(rows, dtype=bool)
    none[[3, 271]] = True
    return {
        "species": species,
        "island": island,
        "bill_length_mm": _gap(bill, none),
        "flipper_length_mm": _gap(flipper, none),
        "body_mass_g": _gap(mass, none),
        "sex": _gap(np.where(male, "male", "female"), none | (draw.random(rows) < 0.025)),
        "year": draw.integers(2007, 2010, rows),
    }


def passengers(seed: int = 1, rows: int = 891) -> Columns:
    """A ship's list: an id, free names, classes 1 to 3, ages with gaps, tickets, cabins mostly unknown."""
    draw = np.random.default_rng(seed)
    cabin_class = draw.choice([1, 2, 3], rows, p=[0.24, 0.21, 0.55])
    female = draw.random(rows) < 0.35
    chance = np.clip(0.15 + 0.55 * female + 0.15 * (2 - cabin_class), 0.03, 0.97)
    fare = np.round(draw.lognormal(3.8 - 0.8 * (cabin_class - 1), 0.5), 4)
    return {
        "PassengerId": np.arange(1, rows + 1),
        "Survived": (draw.random(rows) < chance).astype(int),
        "Pclass": cabin_class,
        "Name": [f"Person {k}, of family {draw.integers(10**6)}" for k in range(rows)],
        "Sex": np.where(female, "female", "male"),
        "Age": _gap(
            np.round(np.clip(draw.normal(34 - 4 * (cabin_class - 1), 13, rows), 1, 80)),
            draw.random(rows) < 0.2,
        ),
        "SibSp": draw.choice([0, 1, 2, 3], rows, p=[0.68, 0.23, 0.06, 0.03]),
        "Ticket": [f"T{draw.integers(700)}" for _ in range(rows)],
        "Fare": fare,
        "Cabin": [None if k > 0.23 else f"C{int(1000 * k)}" for k in draw.random(rows)],
        "Embarked": draw.choice(["S", "C", "Q"], rows, p=[0.72, 0.19, 0.09]),
    }


def school_years(seed: int = 1, rows: int = 753) -> Columns:
    """Years of school of wife, husband and parents (whole numbers 5 to 17), work, children, incomes."""
    draw = np.random.default_rng(seed)
    home = draw.normal(0, 1, rows)
    wife = np.clip(np.round(12.3 + 1.6 * home + draw.normal(0, 1.5, rows)), 5, 17).astype(int)
    husband = np.clip(np.round(12.5 + 0.6 * (wife - 12.3) * 1.3 + draw.normal(0, 2.2, rows)), 3, 17).astype(
        int
    )
    hours = np.where(draw.random(rows) < 0.43, 0, draw.integers(12, 4950, rows))
    return {
        "work": np.where(hours > 0, "yes", "no"),
        "hoursw": hours,
        "child6": draw.choice([0, 1, 2, 3], rows, p=[0.8, 0.155, 0.035, 0.01]),
        "child618": draw.integers(0, 6, rows),
        "agew": draw.integers(30, 61, rows),
        "educw": wife,
        "educh": husband,
        "educwm": np.clip(np.round(9.2 + 2.2 * home + draw.normal(0, 2, rows)), 0, 17).astype(int),
        "educwf": np.clip(np.round(8.8 + 2.4 * home + draw.normal(0, 2, rows)), 0, 17).astype(int),
        "income": np.round(draw.lognormal(9.9, 0.5, rows)).astype(int),
        "city": draw.choice(["yes", "no"], rows, p=[0.64, 0.36]),
    }


def trial(seed: int = 1, rows: int = 418) -> Columns:
    """A medical trial: 312 randomised patients, 106 more for whom seven columns were never measured."""
    draw = np.random.default_rng(seed)
    late = np.arange(rows) >= 312
    stage = draw.choice([1, 2, 3, 4], rows, p=[0.05, 0.22, 0.38, 0.35])
    return {
        "id": np.arange(1, rows + 1),
        "time": draw.integers(41, 4796, rows),
        "status": draw.choice([0, 1, 2], rows, p=[0.55, 0.06, 0.39]),
        "trt": _gap(draw.choice([1, 2], rows), late),
        "age": np.round(draw.normal(51, 10, rows), 5),
        "sex": draw.choice(["f", "m"], rows, p=[0.9, 0.1]),
        "ascites": _gap((draw.random(rows) < 0.03 * stage).astype(int), late),
        "hepato": _gap((draw.random(rows) < 0.2 * stage).astype(int), late),
        "spiders": _gap((draw.random(rows) < 0.1 * stage).astype(int), late),
        "edema": draw.choice([0.0, 0.5, 1.0], rows, p=[0.85, 0.1, 0.05]),
        "bili": np.round(draw.lognormal(0.2 + 0.25 * stage, 0.8), 1),
        "chol": _gap(np.round(draw.lognormal(5.8, 0.4, rows)), late | (draw.random(rows) < 0.07)),
        "copper": _gap(np.round(draw.lognormal(4.2, 0.8, rows)), late),
        "alk.phos": _gap(np.round(draw.lognormal(7.3, 0.7, rows), 1), late),
        "stage": _gap(stage, np.arange(rows) % 70 == 69),
    }


def flights(seed: int = 1, rows: int = 20_000) -> Columns:
    """Departures: a tail number of thousands, a time stamp, delays with gaps, airports and carriers."""
    draw = np.random.default_rng(seed)
    hour = draw.integers(5, 24, rows)
    day = draw.integers(0, 365, rows)
    delay = np.round(draw.gamma(1.2, 6 + hour, rows) - 10)
    cancelled = draw.random(rows) < 0.025
    origin = draw.choice(["EWR", "JFK", "LGA"], rows)
    stamp = np.datetime64("2013-01-01T00", "h") + day.astype("timedelta64[D]") + hour.astype("timedelta64[h]")
    share = draw.dirichlet(np.full(100, 0.6))
    return {
        "year": np.full(rows, 2013),
        "dep_delay": _gap(delay, cancelled),
        "arr_delay": _gap(np.round(delay + draw.normal(-5, 12, rows)), cancelled),
        "carrier": draw.choice([f"C{k}" for k in range(16)], rows, p=draw.dirichlet(np.full(16, 1.0))),
        "tailnum": [f"N{k}" for k in draw.integers(100, 4144, rows)],
        "origin": origin,
        "dest": draw.choice([f"D{k:02}" for k in range(100)], rows, p=share),
        "air_time": _gap(np.round(draw.gamma(4, 38, rows)), cancelled),
        "time_hour": stamp,
    }


def diamonds(seed: int = 1, rows: int = 5000) -> Columns:
    """Prices and sizes, three ordered grades as texts."""
    draw = np.random.default_rng(seed)
    carat = np.round(draw.lognormal(-0.4, 0.5, rows), 2)
    return {
        "carat": carat,
        "cut": draw.choice(["Fair", "Good", "Very Good", "Premium", "Ideal"], rows),
        "color": draw.choice(list("DEFGHIJ"), rows),
        "clarity": draw.choice(["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"], rows),
        "price": np.round(4000 * carat**1.7 * draw.lognormal(0, 0.2, rows)).astype(int),
        "x": np.round(6.5 * carat ** (1 / 3), 2),
    }


def digits(seed: int = 1, rows: int = 1797) -> Columns:
    """Pictures of eight by eight dots with 17 grey levels, zeros at the rim, and which digit it is."""
    draw = np.random.default_rng(seed)
    digit = draw.integers(0, 10, rows)
    shapes = draw.gamma(1.0, 6.0, (10, 8, 8)) * (np.hypot(*np.mgrid[-3.5:4.5, -3.5:4.5]) < 4.4)
    grey = np.clip(np.round(shapes[digit] + draw.normal(0, 2.0, (rows, 8, 8)) * (shapes[digit] > 0)), 0, 16)
    dots = grey.reshape(rows, 64).astype(int)
    return {**{f"pixel_{k // 8}_{k % 8}": dots[:, k] for k in range(64)}, "digit": digit}


def hair_and_eyes(seed: int = 1) -> Columns:
    """A table of counts: one row for each combination, and how many people have it."""
    hair, eyes, sexes = (
        ["Black", "Brown", "Red", "Blond"],
        ["Brown", "Blue", "Hazel", "Green"],
        ["Male", "Female"],
    )
    expected = np.array([[34, 10, 8, 2], [60, 42, 27, 14], [13, 8, 7, 7], [4, 47, 5, 8]])
    draw = np.random.default_rng(seed)
    cells = [(h, e, s) for h in range(4) for e in range(4) for s in range(2)]
    return {
        "Hair": [hair[h] for h, _, _ in cells],
        "Eye": [eyes[e] for _, e, _ in cells],
        "Sex": [sexes[s] for _, _, s in cells],
        "Freq": np.array([int(draw.poisson(expected[h, e])) for h, e, _ in cells]),
    }


def boats(seed: int = 1) -> Columns:
    """Another table of counts, with empty cells: class, sex, age, survival."""
    draw = np.random.default_rng(seed)
    ways = (("1st", "2nd", "3rd", "Crew"), ("M", "F"), ("Child", "Adult"), ("No", "Yes"))
    rows = list(itertools.product(*ways))

    def people(cabin: str, sex: str, age: str, saved: str) -> int:
        if (cabin, age) == ("Crew", "Child"):
            return 0
        share = 0.25 if (saved == "Yes") == (sex == "M") else 0.75
        return int(draw.poisson({"M": 90, "F": 30}[sex] * {"Child": 0.1, "Adult": 1.0}[age] * share))

    counts = [people(*row) for row in rows]
    names = ("Class", "Sex", "Age", "Survived")
    return {**{name: [row[k] for row in rows] for k, name in enumerate(names)}, "n": np.array(counts)}


def air_quality(seed: int = 1, rows: int = 153) -> Columns:
    """Daily readings: month and day as numbers, ozone and sun with gaps."""
    draw = np.random.default_rng(seed)
    month = np.repeat([5, 6, 7, 8, 9], [31, 30, 31, 31, 30])[:rows]
    warm = draw.normal(78 + 6 * (month == 7) + 6 * (month == 8) - 8 * (month == 5), 6)
    ozone = np.round(np.clip(draw.normal(2.2 * (warm - 60), 15), 1, 168))
    return {
        "Ozone": _gap(ozone, draw.random(rows) < 0.24),
        "Solar.R": _gap(np.round(draw.uniform(7, 334, rows)), draw.random(rows) < 0.05),
        "Wind": np.round(draw.normal(10, 3.5, rows), 1),
        "Temp": np.round(warm).astype(int),
        "Month": month,
        "Day": np.concatenate([np.arange(1, k + 1) for k in (31, 30, 31, 31, 30)])[:rows],
    }


def flowers(seed: int = 1) -> Columns:
    """Four measurements of three species, 150 rows."""
    draw = np.random.default_rng(seed)
    kind = np.repeat([0, 1, 2], 50)
    size = draw.normal(0, 0.3, 150)
    return {
        "sepal_length": np.round(5.0 + 0.8 * kind + size, 1),
        "sepal_width": np.round(3.4 - 0.5 * (kind > 0) + 0.5 * size + draw.normal(0, 0.2, 150), 1),
        "petal_length": np.round(1.5 + 2.0 * kind + 0.7 * size, 1),
        "petal_width": np.round(0.25 + 0.9 * kind + 0.3 * size, 1),
        "species": np.array(["setosa", "versicolor", "virginica"])[kind],
    }


def census(seed: int = 1, rows: int = 3000) -> Columns:
    """Answers of people: numbers with heaps at zero, a question mark for missing, many countries."""
    draw = np.random.default_rng(seed)
    years = np.clip(np.round(draw.normal(10, 2.6, rows)), 1, 16).astype(int)
    rich = draw.random(rows) < np.clip((years - 6) / 14, 0.02, 0.9)
    country = draw.choice(
        ["United-States", *(f"country {k}" for k in range(60))], rows, p=[0.9] + [0.1 / 60] * 60
    )
    return {
        "age": draw.integers(17, 91, rows),
        "workclass": np.where(draw.random(rows) < 0.06, "?", draw.choice(["Private", "Gov", "Self"], rows)),
        "fnlwgt": draw.integers(12_000, 1_000_000, rows),
        "education-num": years,
        "capital-gain": np.where(draw.random(rows) < 0.92, 0, draw.integers(100, 99_999, rows)),
        "hours-per-week": np.where(draw.random(rows) < 0.45, 40, draw.integers(1, 100, rows)),
        "native-country": country,
        "income": np.where(rich, ">50K", "<=50K"),
    }


def survey(seed: int = 1, rows: int = 600) -> Columns:
    """Answers 1 to 7 to questions that hang together, and a comment."""
    draw = np.random.default_rng(seed)
    mood = draw.normal(0, 1, rows)
    asked = {
        f"q{k}": np.clip(np.round(4 + 1.2 * mood + draw.normal(0, 1, rows)), 1, 7).astype(int)
        for k in range(1, 7)
    }
    return {**asked, "comment": [f"I think that {draw.integers(10**9)}" for _ in range(rows)]}


def sensors(seed: int = 1, rows: int = 1440) -> Columns:
    """Minutes of a day: an ISO time stamp as text, three readings, a switch as true and false."""
    draw = np.random.default_rng(seed)
    start = np.datetime64("2024-03-01T00:00")
    stamps = [str(start + np.timedelta64(minute, "m")) for minute in range(rows)]
    hour = np.arange(rows) / 60
    on = (hour > 7) & (hour < 20)
    return {
        "time": stamps,
        "temperature": np.round(18 + 4 * np.sin(hour / 24 * 2 * np.pi) + draw.normal(0, 0.5, rows), 2),
        "power": np.round(np.where(on, 900, 80) + draw.normal(0, 30, rows), 1),
        "door": draw.random(rows) < 0.1,
        "heating": on,
    }


def genes(seed: int = 1, rows: int = 72, columns: int = 300) -> Columns:
    """Many more columns than rows, and a class."""
    draw = np.random.default_rng(seed)
    kind = draw.integers(0, 2, rows)
    values = draw.normal(0, 1, (columns, rows))
    values[:10] += 2.0 * kind
    return {
        **{f"gene{k}": np.round(values[k], 4) for k in range(columns)},
        "class": np.where(kind, "AML", "ALL"),
    }


def baskets(seed: int = 1, rows: int = 2000) -> Columns:
    """What was bought together: columns of 0 and 1, most of them 0."""
    draw = np.random.default_rng(seed)
    bread = draw.random(rows) < 0.3
    return {
        "bread": bread.astype(int),
        "butter": (bread & (draw.random(rows) < 0.6)).astype(int),
        "beer": (draw.random(rows) < 0.15).astype(int),
        "caviar": (draw.random(rows) < 0.005).astype(int),
        "nothing": np.zeros(rows, dtype=int),
    }


_MADE = [
    penguins,
    passengers,
    school_years,
    trial,
    flights,
    diamonds,
    digits,
    hair_and_eyes,
    boats,
    air_quality,
]
_MADE += [flowers, census, survey, sensors, genes, baskets]
KINDS = {made.__name__: made for made in _MADE}
