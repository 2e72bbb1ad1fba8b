//: core
/** The text of a field. */
function field(event, name) {
  const text = Object.hasOwn(event, name) ? event[name] : undefined;
  if (typeof text !== 'string') throw new Error(`the event has no text for ${name}`);
  return text;
}

//: or
/** The text of a field, or the placeholder if it is absent or empty. */
const fieldOr = (event, name, placeholder) => (Object.hasOwn(event, name) && event[name]) || placeholder;

//: utf8
const utf8 = (text) => Buffer.from(text, 'utf8');

//: salted
/** Whether a key begins with a salt of these digits and the separator. */
function beginsSalted(key, salts, digits, separator) {
  const text = key.toString('latin1');
  const salt = text.slice(0, digits);
  return salt.length === digits && /^[0-9]+$/.test(salt) && Number(salt) < salts && text.startsWith(separator, digits);
}

//: blank
/** The text without blanks around it. */
function trim(text) {
  const blank = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
  let [start, end] = [0, text.length];
  while (start < end && blank.test(text[start])) start++;
  while (start < end && blank.test(text[end - 1])) end--;
  return text.slice(start, end);
}

//: time
const TIME =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?(?: ?(?:[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|([+-])([0-9]{2})(?::?([0-9]{2}))?))?)?$/;
const COUNT = /^(?:([0-9]{1,19})|([0-9]{9,19})\.([0-9]+))$/;

/** Milliseconds since 1970 (UTC) of a date, a date and time, or a count of seconds to nanoseconds. */
function timeMillis(text) {
  const counted = COUNT.exec(text);
  if (counted) {
    const whole = counted[1] ?? counted[2];
    if (text.length === 8) return dayMillis(Number(text.slice(0, 4)), Number(text.slice(4, 6)), Number(text.slice(6)));
    if (whole.length <= 10) return Number(whole) * 1000 + Number(((counted[3] ?? '') + '000').slice(0, 3));
    if (BigInt(whole) >= 2n ** 63n) throw new Error(`"${text}" is not a time`);
    return Number(whole.length <= 13 ? whole : whole.slice(0, whole.length <= 16 ? -3 : -6));
  }
  const found = TIME.exec(text);
  if (!found) throw new Error(`"${text}" is not a time`);
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0));
  const millis = Number(((found[7] ?? '') + '000').slice(0, 3));
  const [zoneHours, zoneMinutes] = [Number(found[9] ?? 0), Number(found[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || zoneHours > 23 || zoneMinutes > 59) throw new Error(`"${text}" is not a time`);
  const ahead = (zoneHours * 60 + zoneMinutes) * (found[8] === '-' ? -1 : 1);
  return dayMillis(year, month, day) + ((hour * 60 + minute - ahead) * 60 + second) * 1000 + millis;
}

//: time_format
const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const WEEKDAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');
const [NUMBER, NAME] = [/^[0-9]{1,2}/, /^[A-Za-z]+/];
const PATTERNS = {
  ' ': /^ +/, '%Y': /^[0-9]{4}/, '%y': /^[0-9]{2}/, '%f': /^[0-9]+/, '%p': /^[ap]m/i, '%s': /^-?[0-9]{1,15}/,
  '%z': /^(?:utc|gmt|z|([+-])([0-9]{2})(?::?([0-9]{2}))?)/i, '%a': NAME, '%A': NAME, '%b': NAME, '%B': NAME,
  '%m': NUMBER, '%d': NUMBER, '%H': NUMBER, '%I': NUMBER, '%M': NUMBER, '%S': NUMBER,
};

/** Milliseconds since 1970 of a time in a format of strftime; without %z it is in UTC. */
function timeIn(text, form) {
  const refuse = () => {
    throw new Error(`"${text}" is not a time in the format ${form}`);
  };
  const index = (names, word) => {
    const at = names.findIndex((name) => [name, name.slice(0, 3)].includes(word.toLowerCase()));
    return at < 0 ? refuse() : at;
  };
  const thousandths = (digits) => Number((digits + '000').slice(0, 3));
  let rest = trim(text);
  let [millis, ahead] = [0, 0];
  const found = {};
  const tokens = form.match(/%.|./gsu);
  for (const [at, token] of tokens.entries()) {
    const literal = token.at(-1);
    const match = PATTERNS[token]?.exec(rest) ?? (!(token in PATTERNS) && rest.startsWith(literal) ? [literal] : refuse());
    rest = rest.slice(match[0].length);
    const number = Number(match[0]);
    if (token === '%y') found['%Y'] = number + (number < 69 ? 2000 : 1900);
    else if (token === '%a' || token === '%A') index(WEEKDAYS, match[0]);
    else if (token === '%b' || token === '%B') found['%m'] = index(MONTHS, match[0]) + 1;
    else if (token === '%I') found['%H'] = number >= 1 && number <= 12 ? number : refuse();
    else if (token === '%p') found['%p'] = /^p/i.test(match[0]) ? 12 : 0;
    else if (token === '%f') millis = thousandths(match[0]);
    else if (token === '%z') {
      const [hours, minutes] = [Number(match[2] ?? 0), Number(match[3] ?? 0)];
      if (hours > 23 || minutes > 59) refuse();
      ahead = (hours * 60 + minutes) * (match[1] === '-' ? -1 : 1);
    } else if (token in PATTERNS) found[token] = number;
    const fraction = token === '%s' && tokens[at + 1] !== '.' && /^\.([0-9]+)/.exec(rest);
    if (fraction) {
      rest = rest.slice(fraction[0].length);
      millis = thousandths(fraction[1]);
    }
  }
  if (rest !== '') refuse();
  if ('%s' in found) return found['%s'] * 1000 + millis;
  let [hour, minute, second] = ['%H', '%M', '%S'].map((directive) => found[directive] ?? 0);
  if ('%p' in found) hour = (hour % 12) + found['%p'];
  if (hour > 23 || minute > 59 || second > 59) refuse();
  return dayMillis(found['%Y'], found['%m'], found['%d']) + ((hour * 60 + minute - ahead) * 60 + second) * 1000 + millis;
}

//: day
function dayMillis(year, month, day) {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (month < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    throw new Error(`there is no day ${day} in month ${month} of ${year}`);
  }
  return date.getTime();
}

//: time_text
/** A time in the form of a row key. */
function timeText(millis, form) {
  const isCount = form === 'seconds' || form === 'millis' || form === 'reverse_time';
  const [first, last] = isCount ? [0, 9_999_999_999_999] : [-62_167_219_200_000, 253_402_300_799_999];
  if (millis < first || millis > last) throw new Error(`${millis} ms cannot be written as ${form}`);
  switch (form) {
    case 'seconds': return String(Math.floor(millis / 1000)).padStart(10, '0');
    case 'millis': return String(millis).padStart(13, '0');
    case 'reverse_time': return String(9_999_999_999_999 - millis).padStart(13, '0');
    default: return new Date(millis).toISOString().slice(0, { iso: 24, date: 10, month: 7, hour: 13 }[form]);
  }
}

//: bucket
/** A time, rounded down to a multiple of this many seconds since 1970. */
function bucket(millis, seconds) {
  const span = seconds * 1000;
  return millis - (((millis % span) + span) % span);
}

//: pad
/** A whole number in this many digits; a negative one as a minus and the nines' complement, so that it sorts correctly. */
function pad(text, width) {
  const found = /^([+-]?)(?=[0-9])0*([0-9]*)$/.exec(trim(text));
  if (!found) throw new Error(`"${text}" is not a whole number`);
  const [, sign, digits] = found;
  if (digits.length > width) throw new Error(`"${text}" has more than ${width} digits`);
  const padded = digits.padStart(width, '0');
  return sign === '-' && digits !== '' ? '-' + padded.replace(/[0-9]/g, (digit) => String(9 - Number(digit))) : padded;
}

//: reverse
const reverse = (text) => [...text].reverse().join('');

//: reverse_domain
/** The domain of a URL or of a host in reverse order, before the rest of the URL without its scheme. */
function reverseDomain(text) {
  text = text.replace(/^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\//, '');
  const end = text.search(/[/?#]/) < 0 ? text.length : text.search(/[/?#]/);
  const [authority, rest] = [text.slice(0, end), text.slice(end)];
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? '' : `@${authority.slice(0, at)}`;
  let host = authority.slice(at + 1);
  let port = '';
  if (!host.startsWith('[')) {
    if (host.includes(':')) [host, port] = [host.slice(0, host.indexOf(':')), host.slice(host.indexOf(':'))];
    if (!/^[0-9.]*$/.test(host)) {
      const labels = host.replace(/\.$/, '').split('.');
      host = labels.reverse().join('.').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    }
  }
  return host + port + user + rest;
}

//: upper
/** a to z as A to Z, nothing else. */
const upper = (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());

//: lower
/** A to Z as a to z, nothing else. */
const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

//: hash
/** XXH64 with seed 0. */
function xxh64(data) {
  const [prime1, prime2, prime3] = [0x9e3779b185ebca87n, 0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n];
  const [prime4, prime5] = [0x85ebca77c2b2ae63n, 0x27d4eb2f165667c5n];
  const cut = (number) => BigInt.asUintN(64, number);
  const rotate = (number, bits) => cut((number << bits) | (number >> (64n - bits)));
  const stir = (lane, number) => cut(rotate(cut(lane + number * prime2), 31n) * prime1);
  let at = 0;
  let found = prime5;
  if (data.length >= 32) {
    const lanes = [cut(prime1 + prime2), prime2, 0n, cut(-prime1)];
    for (; at + 32 <= data.length; at += 32) {
      for (let lane = 0; lane < 4; lane++) lanes[lane] = stir(lanes[lane], data.readBigUInt64LE(at + 8 * lane));
    }
    found = cut(rotate(lanes[0], 1n) + rotate(lanes[1], 7n) + rotate(lanes[2], 12n) + rotate(lanes[3], 18n));
    for (const lane of lanes) found = cut((found ^ stir(0n, lane)) * prime1 + prime4);
  }
  found = cut(found + BigInt(data.length));
  for (; at + 8 <= data.length; at += 8) {
    found = cut(rotate(found ^ stir(0n, data.readBigUInt64LE(at)), 27n) * prime1 + prime4);
  }
  if (at + 4 <= data.length) {
    found = cut(rotate(found ^ cut(BigInt(data.readUInt32LE(at)) * prime1), 23n) * prime2 + prime3);
    at += 4;
  }
  for (; at < data.length; at++) found = cut(rotate(found ^ cut(BigInt(data[at]) * prime5), 11n) * prime1);
  found = cut((found ^ (found >> 33n)) * prime2);
  found = cut((found ^ (found >> 29n)) * prime3);
  return found ^ (found >> 32n);
}

//: hash_hex
/** The first hexadecimal digits of the text's XXH64. */
const hashHex = (text, digits) => xxh64(utf8(text)).toString(16).padStart(16, '0').slice(0, digits);

//: zorder
/** A number as a step of its range: a whole number of this many bits. */
function scale(text, low, high, bits) {
  const trimmed = trim(text);
  if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(trimmed)) throw new Error(`"${text}" is not a number`);
  const value = Number(trimmed);
  if (!(low <= value && value <= high)) throw new Error(`${value} is not in ${low}..${high}`);
  return BigInt(Math.min(Math.floor(((value - low) / (high - low)) * 2 ** bits), 2 ** bits - 1));
}

/** The bits of two numbers in turn, the highest of the first one first. */
function interleave(first, second, bits) {
  let number = 0n;
  for (let bit = BigInt(bits) - 1n; bit >= 0n; bit--) {
    number = (number << 2n) | (((first >> bit) & 1n) << 1n) | ((second >> bit) & 1n);
  }
  return number;
}

//: decimal
const decimal = (number, width) => number.toString().padStart(width, '0');

//: hex
const hexadecimal = (number, width) => number.toString(16).padStart(width, '0');

//: big_endian
const bigEndian = (number, width) => Buffer.from(number.toString(16).padStart(2 * width, '0'), 'hex');

//: logical
/** A key without its salt. */
const logicalKey = (key) => key.subarray(SALT_BYTES);

//: logical_cut_over
/** A key without its salt, if it has one.
 * (A key that does not hold the time can have two rows, from before and after the cut-over.) */
function logicalKey(key) {
  const head = key.subarray(0, SALT_BYTES).toString('latin1');
  const digits = SALT_BYTES - SEPARATOR.length;
  const salt = head.slice(0, digits);
  const isSalted = salt.length === digits && /^[0-9]+$/.test(salt) && Number(salt) < SALTS && head.endsWith(SEPARATOR);
  return isSalted && head.length === SALT_BYTES ? key.subarray(SALT_BYTES) : key;
}

//: parameters
/** Milliseconds since 1970 of a Date. */
const millisOf = (time) => time.getTime();

/** The ends of the keys that begin with a text from low to high; an empty end is none. */
function endsOf(low, high = low) {
  let length = high.length;
  while (length > 0 && high[length - 1] === 255) length--;
  const end = Buffer.from(high.subarray(0, length));
  if (length > 0) end[length - 1]++;
  return [low, end];
}

/** The ends of the keys with a time of [start, end) after the head. The format has times from first to last. */
function timeEnds(head, start, end, first, last, text, backward) {
  const low = start === null ? first : Math.max(first, millisOf(start));
  const high = end === null ? last : Math.min(last, millisOf(end) - 1);
  if (low > high) return [Buffer.from('1'), Buffer.from('0')];
  const texts = [low > first ? text(low) : Buffer.of(), high < last ? text(high) : Buffer.of()];
  if (backward) texts.reverse();
  return endsOf(...texts.map((part) => Buffer.concat([head, part])));
}

/** The row sets of the keys between two ends, after each prefix. */
function rowsWithin(prefixes, [low, high]) {
  if (high.length > 0 && Buffer.compare(low, high) >= 0) return [];
  const end = (prefix) => (high.length > 0 ? Buffer.concat([prefix, high]) : endsOf(prefix)[1]);
  return prefixes.map((prefix) => [[], [[Buffer.concat([prefix, low]), end(prefix)]]]);
}

const singleRows = (prefixes, key) => prefixes.map((prefix) => [[Buffer.concat([prefix, key])], []]);

const allSalts = (count, width, separator) =>
  Array.from({ length: count }, (_, salt) => utf8(String(salt).padStart(width, '0') + separator));

//: query
const bytes = (text) => Buffer.from(text, 'latin1');

/** The rows of all sets, each [keys, [[start, end], ...]], read at the same time, in the order of their logical keys.
 * (Backward, it reads all of the rows and reverses them.) */
async function read(table, rowSets, filter, limit, backward, logical) {
  const one = async ([keys, ranges]) => {
    const options = { decode: false };
    if (keys.length > 0) options.keys = keys;
    if (ranges.length > 0) {
      options.ranges = ranges.map(([start, end]) => ({
        ...(start.length > 0 && { start: { value: start, inclusive: true } }),
        ...(end.length > 0 && { end: { value: end, inclusive: false } }),
      }));
    }
    if (filter.length > 0) options.filter = filter;
    if (limit > 0 && !backward) options.limit = limit;
    const [rows] = await table.getRows(options);
    return rows;
  };
  const rows = (await Promise.all(rowSets.map(one))).flat();
  const key = (row) => logical(Buffer.from(row.id));
  rows.sort((a, b) => (backward ? Buffer.compare(key(b), key(a)) : Buffer.compare(key(a), key(b))));
  return limit > 0 ? rows.slice(0, limit) : rows;
}

//: values
/** A value of a cell, read from its start. */
class Value {
  constructor(value) {
    this.rest = value;
  }

  /** The next bytes. */
  take(count) {
    if (count > this.rest.length) throw new Error('the value ends too early');
    const taken = this.rest.subarray(0, count);
    this.rest = this.rest.subarray(count);
    return taken;
  }

  /** A number with seven bits in each byte, the lowest first. */
  varint() {
    for (let number = 0, unit = 1; unit < 2 ** 64; unit *= 128) {
      const byte = this.take(1)[0];
      number += (byte & 127) * unit;
      if (byte < 128) return number;
    }
    throw new Error('a number of the value is too long');
  }

  /** The text of bytes. Those that are not UTF-8 are refused. */
  static textOf(bytes) {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  }

  /** A text after its length. */
  text() {
    return Value.textOf(this.take(this.varint()));
  }

  /** A number of MessagePack, or the length of its text, list or map. */
  head() {
    const mark = this.take(1)[0];
    if (mark < 0x80) return mark;
    if (mark < 0xc0) return mark & (mark < 0xa0 ? 0x0f : 0x1f);
    const sizes = { 0xcc: 1, 0xcd: 2, 0xce: 4, 0xd9: 1, 0xda: 2, 0xdb: 4, 0xdc: 2, 0xdd: 4, 0xde: 2, 0xdf: 4 };
    const size = sizes[mark];
    if (size === undefined) throw new Error('the value holds something else');
    return this.take(size).readUIntBE(0, size);
  }

  /** Whether a list of MessagePack comes next. */
  isList() {
    return (this.rest[0] & 0xf0) === 0x90 || [0xdc, 0xdd].includes(this.rest[0]);
  }

  /** A text of MessagePack. */
  packedText() {
    return Value.textOf(this.take(this.head()));
  }

  /** Several of them. */
  times(count, next) {
    const all = [];
    for (let left = count; left > 0; left--) all.push(next.call(this));
    return all;
  }

  /** Refuses a value of another form. */
  expect(found, expected) {
    if (found !== expected) throw new Error('the value holds something else');
  }

  /** Refuses a value with more bytes. */
  end() {
    this.expect(this.rest.length, 0);
  }
}

//: protobuf
/** The numbers and contents of the fields of a protobuf message: bytes or numbers. */
function message(bytes) {
  const value = new Value(bytes);
  const fields = [];
  while (value.rest.length > 0) {
    const [key, content] = [value.varint(), value.varint()];
    fields.push([key >> 3, (key & 7) === 2 ? value.take(content) : content]);
  }
  return fields;
}

//: protobuf_counts
/** The counts in a value of a cell: [facet, operator, value, count].
 * message FacetCounts { repeated FacetCount counts = 1; }
 * message FacetCount { string name = 1; string operator = 2; string value = 3; uint32 count = 4; } */
export function decodeValue(value) {
  return message(value).map(([number, one]) => {
    if (number !== 1 || typeof one === 'number') throw new Error('the value holds something else');
    const fields = new Map(message(one));
    return [...[1, 2, 3].map((number) => Value.textOf(fields.get(number) ?? Buffer.alloc(0))), fields.get(4) ?? 0];
  });
}

//: protobuf_event
/** The event in a value of a cell: the texts of each field that it has. Field n of the message is the nth one of these. */
export function decodeValue(value) {
  const event = FIELDS.map((name) => [name, []]);
  for (const [number, text] of message(value)) {
    if (number < 1 || number > FIELDS.length || typeof text === 'number') throw new Error('the value holds something else');
    event[number - 1][1].push(Value.textOf(text));
  }
  return Object.fromEntries(event.filter(([, texts]) => texts.length > 0));
}

//: compact_list_counts
/** The counts in a value of a cell: [facet, operator, value, count]. */
export function decodeValue(bytes) {
  const value = new Value(bytes);
  const none = Array(3 - TEXTS).fill('');
  const counts = value.times(value.varint(), () => [...none, ...value.times(TEXTS, value.text), value.varint()]);
  value.end();
  return counts;
}

//: compact_list_event
/** The event in a value of a cell: the texts of each field that it has. */
export function decodeValue(bytes) {
  const value = new Value(bytes);
  value.expect(value.varint(), FIELDS.length);
  const event = FIELDS.map((name) => [name, value.times(value.varint(), value.text)]);
  value.end();
  return Object.fromEntries(event.filter(([, texts]) => texts.length > 0));
}

//: message_pack_counts
/** The counts in a value of a cell: [facet, operator, value, count]. */
export function decodeValue(bytes) {
  const value = new Value(bytes);
  const none = Array(3 - TEXTS).fill('');
  const counts = value.times(value.head(), () => {
    value.expect(value.head(), TEXTS + 1);
    return [...none, ...value.times(TEXTS, value.packedText), value.head()];
  });
  value.end();
  return counts;
}

//: message_pack_event
/** The event in a value of a cell: the texts of each field that it has. */
export function decodeValue(bytes) {
  const value = new Value(bytes);
  const field = () => [value.packedText(), value.times(value.isList() ? value.head() : 1, value.packedText)];
  const event = value.times(value.head(), field);
  value.end();
  return Object.fromEntries(event.filter(([, texts]) => texts.length > 0));
}
