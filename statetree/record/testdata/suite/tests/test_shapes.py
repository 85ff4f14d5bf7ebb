import threading

import pytest

from shapes import Circle, largest


@pytest.fixture
def circles():
    yield [Circle(n) for n in (1, 3, 2)]


def test_largest(circles):
    assert largest(circles).radius == 3


@pytest.mark.parametrize("radius", [0, 2])
def test_area(radius):
    assert Circle(radius).area == pytest.approx(3.14159265 * radius * radius)


def test_refuses():
    with pytest.raises(ValueError):
        Circle(-1)


def test_in_a_thread():
    results = []
    thread = threading.Thread(target=lambda: results.append(largest([]).__class__))
    thread.start()
    thread.join()
    assert results == [type(None)]


def test_fails():
    assert largest([Circle(1)]).radius == 2
