"""Draws from one contest, without the axis of data sets."""

from howsure import resampling
from howsure.resampling import Draws, Scheme, Stack


def of_one(found):
    return Draws(found.advantages[:, 0], found.standard_errors[:, 0], found.exact)


def draw(contest, metrics, *, null=None, **how):
    return of_one(resampling.draw(Stack(contest), metrics, exchange=null, **how))


def every_exchange(contest, metrics, scheme=None, clusters=None):
    return of_one(resampling.every_exchange(Stack(contest), metrics, scheme or Scheme(), clusters))


def jackknife(contest, metric, clusters=None):
    return resampling.jackknife(Stack(contest), metric, clusters)[0]
