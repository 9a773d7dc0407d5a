"""Conditional linear Gaussian networks by the definition: all discrete states, whole covariance matrices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

import numpy as np

from bayesloom.networks.gaussian import GaussianNetwork


def parts(net: GaussianNetwork) -> Iterator[tuple[dict[str, str], float, np.ndarray, np.ndarray]]:
    """Every joint state of the discrete variables: its probability, mean and covariance of the others."""
    discrete = [name for name in net.names if name not in net.continuous]
    places = {name: k for k, name in enumerate(net.continuous)}
    states = [net.states[net.names.index(name)] for name in discrete]
    for cell in itertools.product(*states):
        at = dict(zip(discrete, cell, strict=True))
        code = {name: net.states[net.names.index(name)].index(state) for name, state in at.items()}
        p = math.prod(
            float(net.cpt(name)[(*(code[up] for up in net.network.parents[name]), code[name])])
            for name in discrete
        )
        mean = np.zeros(len(places))
        covariance = np.zeros((len(places), len(places)))
        done: list[int] = []
        for name in net.network.order:  # parents first: one row of the covariance after the other
            if name not in places:
                continue
            own = net.regression(name)
            where = tuple(code[up] for up in own.discrete)
            slopes = np.zeros(len(places))
            for up, slope in zip(own.continuous, own.coefficients[where], strict=True):
                slopes[places[up]] = slope
            k = places[name]
            mean[k] = own.intercept[where] + slopes @ mean
            for other in done:
                covariance[k, other] = covariance[other, k] = slopes @ covariance[:, other]
            covariance[k, k] = own.variance[where] + slopes @ covariance @ slopes
            done.append(k)
        yield at, p, mean, covariance


def given(net: GaussianNetwork, evidence: Mapping[str, object]):
    """For each state that fits: its weight, and mean and covariance of the continuous variables."""
    known = [k for k, name in enumerate(net.continuous) if name in evidence]
    x = np.array([float(evidence[net.continuous[k]]) for k in known])  # type: ignore[arg-type]
    found = []
    for at, p, mean, covariance in parts(net):
        if any(at[name] != evidence[name] for name in at if name in evidence) or p == 0:
            continue
        own = covariance[np.ix_(known, known)]
        away = x - mean[known]
        log = math.log(p)
        if known:
            turned = np.linalg.inv(own)
            log -= 0.5 * (
                len(known) * math.log(2 * math.pi) + np.linalg.slogdet(own)[1] + away @ turned @ away
            )
            gain = covariance[:, known] @ turned
            mean = mean + gain @ away
            covariance = covariance - gain @ covariance[known]
        found.append((at, log, mean, covariance))
    top = max(log for _, log, _, _ in found)
    total = math.fsum(math.exp(log - top) for _, log, _, _ in found)
    shares = [(at, math.exp(log - top) / total, mean, cov) for at, log, mean, cov in found]
    return shares, top + math.log(total)
