"""What tests are given: random and well-known tables, caches, networks, constraints, runs, texts and damages.

One place for every generator. All of them are drawn from a seed, so that a test sees the same every time;
what several tests know by name (`sprinkler`, `weather`, ...) are fixtures in `tests/conftest.py`.
"""
