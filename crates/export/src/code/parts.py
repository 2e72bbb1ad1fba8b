#: core
def field(event, name):
    """The text of a field."""
    text = event.get(name)
    if text is None:
        raise ValueError(f"the event has no value for {name}")
    return text


#: or
def field_or(event, name, placeholder):
    """The text of a field, or the placeholder if it is absent or empty."""
    return event.get(name) or placeholder


#: utf8
def utf8(text):
    return text.encode("utf-8")


#: salted
def begins_salted(key, salts, digits, separator):
    """Whether a key begins with a salt of these digits and the separator."""
    salt = key[:digits]
    return len(salt) == digits and salt.isdigit() and int(salt) < salts and key[digits:].startswith(separator)


#: blank
# The characters that count as blank around a number.
BLANK = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


#: time needs=re
TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?(?: ?(?:[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|([+-])([0-9]{2})(?::?([0-9]{2}))?))?)?"
)
COUNT = re.compile(r"([0-9]{1,19})|([0-9]{9,19})\.([0-9]+)")


def time_millis(text):
    """Milliseconds since 1970 (UTC) of a date, a date and time, or a count of seconds to nanoseconds."""
    counted = COUNT.fullmatch(text)
    if counted:
        whole = counted[1] or counted[2]
        if len(text) == 8:
            return days_of(int(text[:4]), int(text[4:6]), int(text[6:])) * DAY
        if len(whole) <= 10:
            return int(whole) * 1000 + int(((counted[3] or "") + "000")[:3])
        if int(whole) >= 1 << 63:
            raise ValueError(f"{text!r} is not a time")
        return int(whole) // (1 if len(whole) <= 13 else 1000 if len(whole) <= 16 else 1_000_000)
    found = TIME.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is not a time")
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    millis = int(((found[7] or "") + "000")[:3])
    zone_hours, zone_minutes = int(found[9] or 0), int(found[10] or 0)
    if hour > 23 or minute > 59 or second > 59 or zone_hours > 23 or zone_minutes > 59:
        raise ValueError(f"{text!r} is not a time")
    ahead = (zone_hours * 60 + zone_minutes) * (-1 if found[8] == "-" else 1)
    return days_of(year, month, day) * DAY + ((hour * 60 + minute - ahead) * 60 + second) * 1000 + millis


#: time_format needs=re
MONTHS = "january february march april may june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
ZONE = r"(?i:utc|gmt|z)|([+-])([0-9]{2})(?::?([0-9]{2}))?"
PATTERNS = {" ": " +", "%Y": "[0-9]{4}", "%y": "[0-9]{2}", "%f": "[0-9]+", "%p": "[AaPp][Mm]", "%s": "-?[0-9]{1,15}", "%z": ZONE}
PATTERNS.update({directive: "[A-Za-z]+" for directive in ("%a", "%A", "%b", "%B")})
PATTERNS.update({directive: "[0-9]{1,2}" for directive in ("%m", "%d", "%H", "%I", "%M", "%S")})


def time_in(text, form):
    """Milliseconds since 1970 of a time in a format of strftime; without %z it is in UTC."""
    wrong = ValueError(f"{text!r} is not a time in the format {form}")
    rest, found, millis, ahead = text.strip(BLANK), {}, 0, 0

    def index(names, word):
        for at, name in enumerate(names):
            if word.lower() in (name, name[:3]):
                return at
        raise wrong

    tokens = re.findall("%.|.", form, re.DOTALL)
    for at, token in enumerate(tokens):
        match = re.match(PATTERNS.get(token, re.escape(token[-1])), rest)
        if not match:
            raise wrong
        rest = rest[match.end() :]
        if token == "%y":
            found["%Y"] = int(match[0]) + (2000 if int(match[0]) < 69 else 1900)
        elif token in ("%a", "%A"):
            index(WEEKDAYS, match[0])
        elif token in ("%b", "%B"):
            found["%m"] = index(MONTHS, match[0]) + 1
        elif token == "%I":
            if not 1 <= int(match[0]) <= 12:
                raise wrong
            found["%H"] = int(match[0])
        elif token == "%p":
            found["%p"] = 12 if match[0][0] in "Pp" else 0
        elif token == "%f":
            millis = int((match[0] + "000")[:3])
        elif token == "%z":
            hours, minutes = int(match[2] or 0), int(match[3] or 0)
            if hours > 23 or minutes > 59:
                raise wrong
            ahead = (hours * 60 + minutes) * (-1 if match[1] == "-" else 1)
        elif token in PATTERNS and token != " ":
            found[token] = int(match[0])
        fraction = re.match(r"\.([0-9]+)", rest)
        if token == "%s" and fraction and tokens[at + 1 : at + 2] != ["."]:
            rest, millis = rest[fraction.end() :], int((fraction[1] + "000")[:3])
    if rest:
        raise wrong
    if "%s" in found:
        return found["%s"] * 1000 + millis
    hour, minute, second = (found.get(directive, 0) for directive in ("%H", "%M", "%S"))
    if "%p" in found:
        hour = hour % 12 + found["%p"]
    if hour > 23 or minute > 59 or second > 59:
        raise wrong
    days = days_of(found["%Y"], found["%m"], found["%d"])
    return days * DAY + ((hour * 60 + minute - ahead) * 60 + second) * 1000 + millis


#: time_text
def time_text(millis, form):
    """A time in the form of a row key."""
    if form in ("seconds", "millis", "reverse_time"):
        if not 0 <= millis <= 9_999_999_999_999:
            raise ValueError(f"{millis} ms cannot be written as {form}")
        if form == "seconds":
            return f"{millis // 1000:010}"
        return f"{millis if form == 'millis' else 9_999_999_999_999 - millis:013}"
    if not -62_167_219_200_000 <= millis <= 253_402_300_799_999:
        raise ValueError(f"{millis} ms cannot be written as {form}")
    days, of_day = divmod(millis, DAY)
    year, month, day = date_of(days)
    iso = (
        f"{year:04}-{month:02}-{day:02}T{of_day // 3_600_000:02}:{of_day // 60_000 % 60:02}"
        f":{of_day // 1000 % 60:02}.{of_day % 1000:03}Z"
    )
    return iso[: {"iso": 24, "date": 10, "month": 7, "hour": 13}[form]]


def date_of(days):
    """Year, month and day of a count of days since 1970."""
    era, of_era = divmod(days + 719_468, 146_097)
    of_era_years = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * of_era_years + of_era_years // 4 - of_era_years // 100)
    from_march = (5 * of_year + 2) // 153
    month = from_march + 3 if from_march < 10 else from_march - 9
    return of_era_years + era * 400 + (month <= 2), month, of_year - (153 * from_march + 2) // 5 + 1


#: day
DAY = 86_400_000


def days_of(year, month, day):
    """Days since 1970 of a date. (datetime has no year 0.)"""

    def before(year, month):
        year = year - (month <= 2)
        return 365 * year + year // 4 - year // 100 + year // 400 + (153 * ((month + 9) % 12) + 2) // 5 - 719_468

    if not 1 <= month <= 12:
        raise ValueError(f"there is no month {month}")
    following = before(year, month + 1) if month < 12 else before(year, month) + 31
    if not 1 <= day <= following - before(year, month):
        raise ValueError(f"there is no day {day} in month {month} of {year}")
    return before(year, month) + day - 1


#: bucket
def bucket(millis, seconds):
    """A time, rounded down to a multiple of this many seconds since 1970."""
    return millis // (seconds * 1000) * (seconds * 1000)


#: pad needs=re
def pad(text, width):
    """A whole number in this many digits; a negative one as a minus and the nines' complement, so that it sorts correctly."""
    found = re.fullmatch("([+-]?)0*([0-9]*)", text.strip(BLANK))
    if not found or not text.strip(BLANK).lstrip("+-"):
        raise ValueError(f"{text!r} is not a whole number")
    digits = found[2]
    if len(digits) > width:
        raise ValueError(f"{text!r} has more than {width} digits")
    if found[1] == "-" and digits:
        return "-" + "".join(str(9 - int(digit)) for digit in digits.rjust(width, "0"))
    return digits.rjust(width, "0")


#: reverse
def reverse(text):
    return text[::-1]


#: reverse_domain
def reverse_domain(text):
    """The domain of a URL or of a host in reverse order, before the rest of the URL without its scheme."""
    scheme, mark, rest = text.partition("://")
    is_scheme = scheme[:1].isalpha() and scheme.isascii() and all(c.isalnum() or c in "+-." for c in scheme)
    if mark and is_scheme:
        text = rest
    elif text.startswith("//"):
        text = text[2:]
    end = min((at for at in map(text.find, "/?#") if at >= 0), default=len(text))
    user, at, host = text[:end].rpartition("@")
    host, colon, port = (host, "", "") if host.startswith("[") else host.partition(":")
    if not host.startswith("[") and host.strip(".0123456789"):
        labels = (host[:-1] if host.endswith(".") else host).split(".")
        host = ".".join(reversed(labels)).encode("utf-8").lower().decode("utf-8")
    return host + colon + port + at + user + text[end:]


#: upper
def upper(text):
    """a to z as A to Z, nothing else."""
    return text.encode("utf-8").upper().decode("utf-8")


#: lower
def lower(text):
    """A to Z as a to z, nothing else."""
    return text.encode("utf-8").lower().decode("utf-8")


#: hash
def xxh64(data):
    """XXH64 with seed 0."""
    prime1, prime2, prime3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    prime4, prime5, mask = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5, 0xFFFFFFFFFFFFFFFF

    def rotate(number, bits):
        return (number << bits | number >> (64 - bits)) & mask

    def stir(lane, number):
        return rotate(lane + number * prime2 & mask, 31) * prime1 & mask

    at, length = 0, len(data)
    if length >= 32:
        lanes = [prime1 + prime2 & mask, prime2, 0, -prime1 & mask]
        while at + 32 <= length:
            for lane in range(4):
                lanes[lane] = stir(lanes[lane], int.from_bytes(data[at : at + 8], "little"))
                at += 8
        found = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & mask
        for lane in lanes:
            found = ((found ^ stir(0, lane)) * prime1 + prime4) & mask
    else:
        found = prime5
    found = found + length & mask
    while at + 8 <= length:
        found ^= stir(0, int.from_bytes(data[at : at + 8], "little"))
        found = (rotate(found, 27) * prime1 + prime4) & mask
        at += 8
    if at + 4 <= length:
        found ^= int.from_bytes(data[at : at + 4], "little") * prime1 & mask
        found = (rotate(found, 23) * prime2 + prime3) & mask
        at += 4
    for byte in data[at:]:
        found = rotate(found ^ byte * prime5 & mask, 11) * prime1 & mask
    found = (found ^ found >> 33) * prime2 & mask
    found = (found ^ found >> 29) * prime3 & mask
    return found ^ found >> 32


#: hash_hex
def hash_hex(text, digits):
    """The first hexadecimal digits of the text's XXH64."""
    return f"{xxh64(utf8(text)):016x}"[:digits]


#: zorder needs=re
def scale(text, low, high, bits):
    """A number as a step of its range: a whole number of this many bits."""
    text = text.strip(BLANK)
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        raise ValueError(f"{text!r} is not a number")
    value = float(text)
    if not low <= value <= high:
        raise ValueError(f"{value} is not in {low}..{high}")
    return min(int((value - low) / (high - low) * 2**bits), 2**bits - 1)


def interleave(first, second, bits):
    """The bits of two numbers in turn, the highest of the first one first."""
    number = 0
    for bit in reversed(range(bits)):
        number = number << 2 | (first >> bit & 1) << 1 | second >> bit & 1
    return number


#: decimal
def decimal(number, width):
    return f"{number:0{width}}"


#: hex
def hexadecimal(number, width):
    return f"{number:0{width}x}"


#: big_endian
def big_endian(number, width):
    return number.to_bytes(width, "big")


#: logical
def logical_key(key):
    """A key without its salt."""
    return key[SALT_BYTES:]


#: logical_cut_over
def logical_key(key):
    """A key without its salt, if it has one.

    (A key that does not hold the time can have two rows, from before and after the cut-over.)
    """
    digits = key[: SALT_BYTES - len(SEPARATOR)]
    is_salted = len(key) >= SALT_BYTES and digits.isdigit() and int(digits) < SALTS
    return key[SALT_BYTES:] if is_salted and key[len(digits) :].startswith(SEPARATOR) else key


#: parameters
def millis_of(time):
    """Milliseconds since 1970 of a datetime, rounded up; without a zone it is in UTC."""
    aware = time if time.tzinfo else time.replace(tzinfo=timezone.utc)
    return -((datetime(1970, 1, 1, tzinfo=timezone.utc) - aware) // timedelta(milliseconds=1))


def ends_of(low, high=None):
    """The ends of the keys that begin with a text from low to high; an empty end is none."""
    head = (low if high is None else high).rstrip(b"\xff")
    return low, head[:-1] + bytes([head[-1] + 1]) if head else b""


def time_ends(head, start, end, first, last, text, backward):
    """The ends of the keys with a time of [start, end) after the head. The format has times from first to last."""
    low = first if start is None else max(first, millis_of(start))
    high = last if end is None else min(last, millis_of(end) - 1)
    if low > high:
        return b"1", b"0"
    texts = [text(low) if low > first else b"", text(high) if high < last else b""]
    return ends_of(*(head + part for part in (reversed(texts) if backward else texts)))


def rows_within(prefixes, ends):
    """The row sets of the keys between two ends, after each prefix."""
    low, high = ends
    if high and low >= high:
        return []
    return [([], [(prefix + low, prefix + high if high else ends_of(prefix)[1])]) for prefix in prefixes]


def single_rows(prefixes, key):
    return [([prefix + key], []) for prefix in prefixes]


def all_salts(count, width, separator):
    return [b"%0*d" % (width, salt) + separator for salt in range(count)]


#: query
def read(table, row_sets, row_filter, limit, backward, logical):
    """The rows of all sets, each (keys, [(start, end), ...]), read at the same time, in the order of their logical keys.

    (This client reads only in ascending order: backward, this reads all of the rows and reverses them.)
    """

    def one(row_set):
        keys, ranges = row_set
        query = ReadRowsQuery(
            row_keys=keys,
            row_ranges=[RowRange(start_key=start or None, end_key=end or None) for start, end in ranges],
            limit=None if backward else limit,
            row_filter=row_filter,
        )
        return table.read_rows(query)

    if not row_sets:
        return []
    with ThreadPoolExecutor(max_workers=min(len(row_sets), 32)) as pool:
        rows = [row for rows in pool.map(one, row_sets) for row in rows]
    rows.sort(key=lambda row: logical(row.row_key), reverse=backward)
    return rows[:limit] if limit else rows


def time_range(start, end):
    """Cells of [start, end) microseconds; 0 for no end."""
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    return filters.TimestampRangeFilter(
        start=epoch + timedelta(microseconds=start), end=epoch + timedelta(microseconds=end) if end else None
    )


#: values
class Value:
    """A value of a cell, read from its start."""

    def __init__(self, value):
        self.rest = value

    def take(self, count):
        """The next bytes."""
        if count > len(self.rest):
            raise ValueError("the value ends too early")
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def varint(self):
        """A number with seven bits in each byte, the lowest first."""
        number = 0
        for shift in range(0, 64, 7):
            byte = self.take(1)[0]
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise ValueError("a number of the value is too long")

    def text(self):
        """A text after its length."""
        return self.take(self.varint()).decode("utf-8")

    def head(self):
        """A number of MessagePack, or the length of its text, list or map."""
        mark = self.take(1)[0]
        if mark < 0x80:
            return mark
        if mark < 0xC0:
            return mark & (0x0F if mark < 0xA0 else 0x1F)
        sizes = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4, 0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}
        if mark not in sizes:
            raise ValueError("the value holds something else")
        return int.from_bytes(self.take(sizes[mark]), "big")

    def is_list(self):
        """Whether a list of MessagePack comes next."""
        return self.rest[:1] in (b"\xdc", b"\xdd") or b"\x90" <= self.rest[:1] < b"\xa0"

    def packed_text(self):
        """A text of MessagePack."""
        return self.take(self.head()).decode("utf-8")

    def expect(self, found, expected):
        """Refuses a value of another form."""
        if found != expected:
            raise ValueError("the value holds something else")

    def end(self):
        """Refuses a value with more bytes."""
        self.expect(self.rest[:1], b"")


#: protobuf
def message(value):
    """The numbers and contents of the fields of a protobuf message: bytes or numbers."""
    value = Value(value)
    while value.rest:
        key, content = value.varint(), value.varint()
        yield key >> 3, value.take(content) if key & 7 == 2 else content


#: protobuf_counts
def decode_value(value):
    """The counts in a value of a cell: (facet, operator, value, count).

    message FacetCounts { repeated FacetCount counts = 1; }
    message FacetCount { string name = 1; string operator = 2; string value = 3; uint32 count = 4; }
    """
    counts = []
    for number, one in message(value):
        if number != 1 or not isinstance(one, bytes):
            raise ValueError("the value holds something else")
        fields = dict(message(one))
        texts = [fields.get(number, b"").decode("utf-8") for number in (1, 2, 3)]
        counts.append((*texts, fields.get(4, 0)))
    return counts


#: protobuf_event
def decode_value(value):
    """The event in a value of a cell: the texts of each field that it has. Field n of the message is the nth one of these."""
    event = {}
    for number, text in message(value):
        if not 1 <= number <= len(FIELDS) or not isinstance(text, bytes):
            raise ValueError("the value holds something else")
        event.setdefault(FIELDS[number - 1], []).append(text.decode("utf-8"))
    return event


#: compact_list_counts
def decode_value(value):
    """The counts in a value of a cell: (facet, operator, value, count)."""
    value = Value(value)
    counts = []
    for _ in range(value.varint()):
        texts = [""] * (3 - TEXTS) + [value.text() for _ in range(TEXTS)]
        counts.append((*texts, value.varint()))
    value.end()
    return counts


#: compact_list_event
def decode_value(value):
    """The event in a value of a cell: the texts of each field that it has."""
    value = Value(value)
    value.expect(value.varint(), len(FIELDS))
    event = {name: [value.text() for _ in range(value.varint())] for name in FIELDS}
    value.end()
    return {name: texts for name, texts in event.items() if texts}


#: message_pack_counts
def decode_value(value):
    """The counts in a value of a cell: (facet, operator, value, count)."""
    value = Value(value)
    counts = []
    for _ in range(value.head()):
        value.expect(value.head(), TEXTS + 1)
        texts = [""] * (3 - TEXTS) + [value.packed_text() for _ in range(TEXTS)]
        counts.append((*texts, value.head()))
    value.end()
    return counts


#: message_pack_event
def decode_value(value):
    """The event in a value of a cell: the texts of each field that it has."""
    value = Value(value)
    event = {}
    for _ in range(value.head()):
        name = value.packed_text()
        event[name] = [value.packed_text() for _ in range(value.head() if value.is_list() else 1)]
    value.end()
    return {name: texts for name, texts in event.items() if texts}
