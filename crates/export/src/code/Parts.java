//: core
    /** The text of a field. */
    private static String field(Map<String, String> event, String name) {
        String text = event.get(name);
        if (text == null) {
            throw new IllegalArgumentException("the event has no value for " + name);
        }
        return text;
    }

//: or
    /** The text of a field, or the placeholder if it is absent or empty. */
    private static String fieldOr(Map<String, String> event, String name, String placeholder) {
        String text = event.get(name);
        return text == null || text.isEmpty() ? placeholder : text;
    }

//: utf8
    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

//: join
    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.write(part, 0, part.length);
        }
        return out.toByteArray();
    }

//: salted
    /** Whether a key begins with a salt of these digits and the separator. */
    private static boolean beginsSalted(byte[] key, int salts, int digits, String separator) {
        String text = new String(key, StandardCharsets.ISO_8859_1);
        if (text.length() < digits || !text.substring(0, digits).matches("[0-9]+")) {
            return false;
        }
        return Integer.parseInt(text.substring(0, digits)) < salts && text.startsWith(separator, digits);
    }

//: blank
    /** The text without blanks around it. */
    private static String trim(String text) {
        String blank = "[\\t-\\r \\x85\\xa0\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}]+";
        return text.replaceAll("\\A" + blank + "|" + blank + "\\z", "");
    }

//: time needs=java.util.regex.Matcher,java.util.regex.Pattern
    private static final Pattern TIME = Pattern.compile(
            "([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?"
                    + "(?: ?(?:[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|([+-])([0-9]{2})(?::?([0-9]{2}))?))?)?");
    private static final Pattern COUNT = Pattern.compile("([0-9]{1,19})|([0-9]{9,19})\\.([0-9]+)");

    /** Milliseconds since 1970 (UTC) of a date, a date and time, or a count of seconds to nanoseconds. */
    private static long timeMillis(String text) {
        Matcher counted = COUNT.matcher(text);
        if (counted.matches()) {
            String whole = counted.group(1) == null ? counted.group(2) : counted.group(1);
            String part = counted.group(3) == null ? "" : counted.group(3);
            long count = Long.parseLong(whole);
            if (text.length() == 8) {
                return dayMillis((int) (count / 10000), (int) (count / 100 % 100), (int) (count % 100));
            }
            if (whole.length() <= 10) {
                return count * 1000 + Integer.parseInt((part + "000").substring(0, 3));
            }
            return whole.length() <= 13 ? count : whole.length() <= 16 ? count / 1000 : count / 1_000_000;
        }
        Matcher found = TIME.matcher(text);
        if (!found.matches()) {
            throw new IllegalArgumentException(text + " is not a time");
        }
        int[] parts = new int[11];
        for (int at : new int[] {1, 2, 3, 4, 5, 6, 9, 10}) {
            parts[at] = found.group(at) == null ? 0 : Integer.parseInt(found.group(at));
        }
        String fraction = found.group(7) == null ? "" : found.group(7);
        int millis = Integer.parseInt((fraction + "000").substring(0, 3));
        if (parts[4] > 23 || parts[5] > 59 || parts[6] > 59 || parts[9] > 23 || parts[10] > 59) {
            throw new IllegalArgumentException(text + " is not a time");
        }
        int ahead = (parts[9] * 60 + parts[10]) * ("-".equals(found.group(8)) ? -1 : 1);
        long seconds = (parts[4] * 60L + parts[5] - ahead) * 60 + parts[6];
        return dayMillis(parts[1], parts[2], parts[3]) + seconds * 1000 + millis;
    }

//: time_format needs=java.util.List,java.util.Locale,java.util.regex.Matcher,java.util.regex.Pattern
    private static final List<String> MONTHS = List.of("january", "february", "march", "april", "may", "june", "july",
            "august", "september", "october", "november", "december");
    private static final List<String> WEEKDAYS =
            List.of("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday");
    private static final Pattern FRACTION = Pattern.compile("\\.([0-9]+)");

    private static String pattern(String token) {
        switch (token) {
            case " ":
                return " +";
            case "%Y":
                return "[0-9]{4}";
            case "%y":
                return "[0-9]{2}";
            case "%f":
                return "[0-9]+";
            case "%p":
                return "[AaPp][Mm]";
            case "%s":
                return "-?[0-9]{1,15}";
            case "%z":
                return "(?i:utc|gmt|z)|([+-])([0-9]{2})(?::?([0-9]{2}))?";
            case "%m": case "%d": case "%H": case "%I": case "%M": case "%S":
                return "[0-9]{1,2}";
            case "%a": case "%A": case "%b": case "%B":
                return "[A-Za-z]+";
            default:
                return Pattern.quote(token.substring(token.length() - 1));
        }
    }

    /** Milliseconds since 1970 of a time in a format of strftime; without %z it is in UTC. */
    private static long timeIn(String text, String form) {
        IllegalArgumentException wrong = new IllegalArgumentException(text + " is not a time in the format " + form);
        String rest = trim(text);
        int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millis = 0, ahead = 0, half = -1;
        Long count = null;
        for (int at = 0; at < form.length(); at++) {
            String token = form.substring(at, at + 1);
            if (token.equals("%") && at + 1 < form.length()) {
                at++;
                token = form.substring(at - 1, at + 1);
            }
            Matcher match = Pattern.compile(pattern(token)).matcher(rest);
            if (!match.lookingAt()) {
                throw wrong;
            }
            rest = rest.substring(match.end());
            String found = match.group();
            switch (token) {
                case "%Y":
                    year = Integer.parseInt(found);
                    break;
                case "%y":
                    year = Integer.parseInt(found) + (Integer.parseInt(found) < 69 ? 2000 : 1900);
                    break;
                case "%m":
                    month = Integer.parseInt(found);
                    break;
                case "%d":
                    day = Integer.parseInt(found);
                    break;
                case "%b": case "%B":
                    month = index(MONTHS, found, wrong) + 1;
                    break;
                case "%a": case "%A":
                    index(WEEKDAYS, found, wrong);
                    break;
                case "%H": case "%I":
                    hour = Integer.parseInt(found);
                    if (token.equals("%I") && (hour < 1 || hour > 12)) {
                        throw wrong;
                    }
                    break;
                case "%M":
                    minute = Integer.parseInt(found);
                    break;
                case "%S":
                    second = Integer.parseInt(found);
                    break;
                case "%f":
                    millis = thousandths(found);
                    break;
                case "%p":
                    half = found.toLowerCase(Locale.ROOT).equals("pm") ? 12 : 0;
                    break;
                case "%z":
                    int hours = match.group(2) == null ? 0 : Integer.parseInt(match.group(2));
                    int minutes = match.group(3) == null ? 0 : Integer.parseInt(match.group(3));
                    if (hours > 23 || minutes > 59) {
                        throw wrong;
                    }
                    ahead = (hours * 60 + minutes) * ("-".equals(match.group(1)) ? -1 : 1);
                    break;
                case "%s":
                    count = Long.parseLong(found);
                    Matcher fraction = FRACTION.matcher(rest);
                    if (!form.startsWith(".", at + 1) && fraction.lookingAt()) {
                        rest = rest.substring(fraction.end());
                        millis = thousandths(fraction.group(1));
                    }
                    break;
                default:
                    break;
            }
        }
        if (!rest.isEmpty()) {
            throw wrong;
        }
        if (count != null) {
            return count * 1000 + millis;
        }
        if (half >= 0) {
            hour = hour % 12 + half;
        }
        if (hour > 23 || minute > 59 || second > 59) {
            throw wrong;
        }
        return dayMillis(year, month, day) + ((hour * 60L + minute - ahead) * 60 + second) * 1000 + millis;
    }

    private static int index(List<String> names, String word, IllegalArgumentException wrong) {
        String lower = word.toLowerCase(Locale.ROOT);
        for (int at = 0; at < names.size(); at++) {
            if (lower.equals(names.get(at)) || lower.equals(names.get(at).substring(0, 3))) {
                return at;
            }
        }
        throw wrong;
    }

    private static int thousandths(String digits) {
        return Integer.parseInt((digits + "000").substring(0, 3));
    }

//: day needs=java.time.LocalDate
    private static long dayMillis(int year, int month, int day) {
        return LocalDate.of(year, month, day).toEpochDay() * 86_400_000L;
    }

//: time_text needs=java.time.LocalDate
    /** A time in the form of a row key. */
    private static String timeText(long millis, String form) {
        boolean isCount = form.equals("seconds") || form.equals("millis") || form.equals("reverse_time");
        long first = isCount ? 0 : -62_167_219_200_000L;
        long last = isCount ? 9_999_999_999_999L : 253_402_300_799_999L;
        if (millis < first || millis > last) {
            throw new IllegalArgumentException(millis + " ms cannot be written as " + form);
        }
        switch (form) {
            case "seconds":
                return digits(millis / 1000, 10);
            case "millis":
                return digits(millis, 13);
            case "reverse_time":
                return digits(9_999_999_999_999L - millis, 13);
            default:
                LocalDate date = LocalDate.ofEpochDay(Math.floorDiv(millis, 86_400_000L));
                long ofDay = Math.floorMod(millis, 86_400_000L);
                String iso = digits(date.getYear(), 4) + "-" + digits(date.getMonthValue(), 2) + "-"
                        + digits(date.getDayOfMonth(), 2) + "T" + digits(ofDay / 3_600_000, 2) + ":"
                        + digits(ofDay / 60_000 % 60, 2) + ":" + digits(ofDay / 1000 % 60, 2) + "."
                        + digits(ofDay % 1000, 3) + "Z";
                return iso.substring(0, Map.of("iso", 24, "date", 10, "month", 7, "hour", 13).get(form));
        }
    }

    private static String digits(long number, int width) {
        String digits = Long.toString(number);
        return "0".repeat(width - digits.length()) + digits;
    }

//: bucket
    /** A time, rounded down to a multiple of this many seconds since 1970. */
    private static long bucket(long millis, long seconds) {
        return Math.floorDiv(millis, seconds * 1000) * seconds * 1000;
    }

//: pad
    /** A whole number in this many digits; a negative one as a minus and the nines' complement, so that it sorts correctly. */
    private static String pad(String text, int width) {
        String trimmed = trim(text);
        if (!trimmed.matches("[+-]?[0-9]+")) {
            throw new IllegalArgumentException(text + " is not a whole number");
        }
        String digits = trimmed.replaceFirst("\\A[+-]?0*", "");
        if (digits.length() > width) {
            throw new IllegalArgumentException(text + " has more than " + width + " digits");
        }
        String padded = "0".repeat(width - digits.length()) + digits;
        if (!trimmed.startsWith("-") || digits.isEmpty()) {
            return padded;
        }
        StringBuilder out = new StringBuilder("-");
        padded.chars().forEach(digit -> out.append((char) ('0' + '9' - digit)));
        return out.toString();
    }

//: reverse
    private static String reverse(String text) {
        return new StringBuilder(text).reverse().toString();
    }

//: reverse_domain
    /** The domain of a URL or of a host in reverse order, before the rest of the URL without its scheme. */
    private static String reverseDomain(String url) {
        String text = url.replaceFirst("\\A(?:[A-Za-z][A-Za-z0-9+.-]*:)?//", "");
        int end = 0;
        while (end < text.length() && "/?#".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        int at = text.lastIndexOf('@', end - 1);
        String user = at < 0 ? "" : "@" + text.substring(0, at);
        String host = text.substring(at + 1, end);
        int colon = host.startsWith("[") ? -1 : host.indexOf(':');
        String port = colon < 0 ? "" : host.substring(colon);
        host = colon < 0 ? host : host.substring(0, colon);
        if (!host.startsWith("[") && !host.matches("[0-9.]*")) {
            String[] labels = (host.endsWith(".") ? host.substring(0, host.length() - 1) : host).split("\\.", -1);
            StringBuilder out = new StringBuilder();
            for (int label = labels.length - 1; label >= 0; label--) {
                labels[label].chars().forEach(c -> out.append((char) (c >= 'A' && c <= 'Z' ? c + 32 : c)));
                out.append(label > 0 ? "." : "");
            }
            host = out.toString();
        }
        return host + port + user + text.substring(end);
    }

//: upper
    /** a to z as A to Z, nothing else. */
    private static String upper(String text) {
        StringBuilder out = new StringBuilder();
        text.chars().forEach(c -> out.append((char) (c >= 'a' && c <= 'z' ? c - 32 : c)));
        return out.toString();
    }

//: lower
    /** A to Z as a to z, nothing else. */
    private static String lower(String text) {
        StringBuilder out = new StringBuilder();
        text.chars().forEach(c -> out.append((char) (c >= 'A' && c <= 'Z' ? c + 32 : c)));
        return out.toString();
    }

//: hash needs=java.nio.ByteBuffer,java.nio.ByteOrder
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;

    /** XXH64 with seed 0. */
    private static long xxh64(byte[] data) {
        ByteBuffer in = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        long found = PRIME_5;
        if (data.length >= 32) {
            long[] lanes = {PRIME_1 + PRIME_2, PRIME_2, 0, -PRIME_1};
            while (in.remaining() >= 32) {
                for (int lane = 0; lane < 4; lane++) {
                    lanes[lane] = stir(lanes[lane], in.getLong());
                }
            }
            found = Long.rotateLeft(lanes[0], 1) + Long.rotateLeft(lanes[1], 7)
                    + Long.rotateLeft(lanes[2], 12) + Long.rotateLeft(lanes[3], 18);
            for (long lane : lanes) {
                found = (found ^ stir(0, lane)) * PRIME_1 + PRIME_4;
            }
        }
        found += data.length;
        while (in.remaining() >= 8) {
            found = Long.rotateLeft(found ^ stir(0, in.getLong()), 27) * PRIME_1 + PRIME_4;
        }
        if (in.remaining() >= 4) {
            found = Long.rotateLeft(found ^ (in.getInt() & 0xFFFFFFFFL) * PRIME_1, 23) * PRIME_2 + PRIME_3;
        }
        while (in.hasRemaining()) {
            found = Long.rotateLeft(found ^ (in.get() & 0xFFL) * PRIME_5, 11) * PRIME_1;
        }
        found = (found ^ found >>> 33) * PRIME_2;
        found = (found ^ found >>> 29) * PRIME_3;
        return found ^ found >>> 32;
    }

    private static long stir(long lane, long number) {
        return Long.rotateLeft(lane + number * PRIME_2, 31) * PRIME_1;
    }

//: hash_hex
    /** The first hexadecimal digits of the text's XXH64. */
    private static String hashHex(String text, int digits) {
        return String.format("%016x", xxh64(utf8(text))).substring(0, digits);
    }

//: zorder
    /** A number as a step of its range: a whole number of this many bits. */
    private static long scale(String text, double low, double high, int bits) {
        String trimmed = trim(text);
        if (!trimmed.matches("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?")) {
            throw new IllegalArgumentException(text + " is not a number");
        }
        double value = Double.parseDouble(trimmed);
        if (!(low <= value && value <= high)) {
            throw new IllegalArgumentException(value + " is not in " + low + ".." + high);
        }
        long steps = 1L << bits;
        return Math.min((long) Math.floor((value - low) / (high - low) * steps), steps - 1);
    }

    /** The bits of two numbers in turn, the highest of the first one first. */
    private static long interleave(long first, long second, int bits) {
        long number = 0;
        for (int bit = bits - 1; bit >= 0; bit--) {
            number = number << 2 | (first >>> bit & 1) << 1 | second >>> bit & 1;
        }
        return number;
    }

//: decimal
    private static String decimal(long number, int width) {
        String digits = Long.toUnsignedString(number);
        return "0".repeat(width - digits.length()) + digits;
    }

//: hex
    private static String hexadecimal(long number, int width) {
        String digits = Long.toHexString(number);
        return "0".repeat(width - digits.length()) + digits;
    }

//: big_endian
    private static byte[] bigEndian(long number, int width) {
        byte[] out = new byte[width];
        for (int at = width - 1; at >= 0; at--, number >>>= 8) {
            out[at] = (byte) number;
        }
        return out;
    }

//: logical
    /** A key without its salt. */
    private static ByteString logicalKey(ByteString key) {
        return key.substring(SALT_BYTES);
    }

//: logical_cut_over
    /**
     * A key without its salt, if it has one. (A key that does not hold the time can have two rows, from before and after the
     * cut-over.)
     */
    private static ByteString logicalKey(ByteString key) {
        String text = key.toString(StandardCharsets.ISO_8859_1);
        int digits = SALT_BYTES - SEPARATOR.length();
        if (text.length() < SALT_BYTES || !text.substring(0, digits).matches("[0-9]+")) {
            return key;
        }
        boolean isSalted = Integer.parseInt(text.substring(0, digits)) < SALTS && text.startsWith(SEPARATOR, digits);
        return isSalted ? key.substring(SALT_BYTES) : key;
    }

//: parameters needs=java.time.Instant,java.util.Arrays,java.util.function.LongFunction
    /** Milliseconds since 1970, rounded up. */
    private static long millisOf(Instant time) {
        return time.minusNanos(1).toEpochMilli() + 1;
    }

    /** The ends of the keys that begin with a text; an empty end is none. */
    private static Ends endsOf(byte[] low) {
        return endsOf(low, low);
    }

    /** The ends of the keys that begin with a text from low to high. */
    private static Ends endsOf(byte[] low, byte[] high) {
        int length = high.length;
        while (length > 0 && high[length - 1] == (byte) 0xff) {
            length--;
        }
        byte[] end = Arrays.copyOf(high, length);
        if (length > 0) {
            end[length - 1]++;
        }
        return new Ends(ByteString.copyFrom(low), ByteString.copyFrom(end));
    }

    /** The ends of the keys with a time of [start, end) after the head. The format has times from first to last. */
    private static Ends timeEnds(
            byte[] head, Instant start, Instant end, long first, long last, LongFunction<byte[]> text, boolean backward) {
        long low = start == null ? first : Math.max(first, millisOf(start));
        long high = end == null ? last : Math.min(last, millisOf(end) - 1);
        if (low > high) {
            return new Ends(bytes("1"), bytes("0"));
        }
        byte[] from = join(head, low > first ? text.apply(low) : new byte[0]);
        byte[] to = join(head, high < last ? text.apply(high) : new byte[0]);
        return backward ? endsOf(to, from) : endsOf(from, to);
    }

    /** The row sets of the keys between two ends, after each prefix. */
    private static List<RowSet> rowsWithin(List<byte[]> prefixes, Ends ends) {
        List<RowSet> sets = new ArrayList<>();
        Comparator<ByteString> order = ByteString.unsignedLexicographicalComparator();
        if (!ends.end().isEmpty() && order.compare(ends.start(), ends.end()) >= 0) {
            return sets;
        }
        for (byte[] prefix : prefixes) {
            ByteString head = ByteString.copyFrom(prefix);
            ByteString end = ends.end().isEmpty() ? endsOf(prefix).end() : head.concat(ends.end());
            sets.add(new RowSet(List.of(), List.of(new Ends(head.concat(ends.start()), end))));
        }
        return sets;
    }

    private static List<RowSet> singleRows(List<byte[]> prefixes, byte[] key) {
        List<RowSet> sets = new ArrayList<>();
        for (byte[] prefix : prefixes) {
            sets.add(new RowSet(List.of(ByteString.copyFrom(join(prefix, key))), List.of()));
        }
        return sets;
    }

    private static List<byte[]> allSalts(int count, int width, String separator) {
        List<byte[]> salts = new ArrayList<>();
        for (int salt = 0; salt < count; salt++) {
            salts.add(utf8(String.format("%0" + width + "d", salt) + separator));
        }
        return salts;
    }

//: query
    /** Keys, and ranges from a start (inclusive) to an end (exclusive; empty for none). */
    private record RowSet(List<ByteString> keys, List<Ends> ranges) {}

    private record Ends(ByteString start, ByteString end) {}

    private static ByteString bytes(String text) {
        return ByteString.copyFrom(text, StandardCharsets.ISO_8859_1);
    }

    private static Ends range(String start, String end) {
        return new Ends(bytes(start), bytes(end));
    }

    /** The rows of all sets, read at the same time, in the order of their logical keys. */
    private static List<Row> read(
            BigtableDataClient client,
            String table,
            List<RowSet> rowSets,
            Filter filter,
            long limit,
            boolean backward,
            UnaryOperator<ByteString> logical)
            throws Exception {
        List<ApiFuture<List<Row>>> answers = new ArrayList<>();
        for (RowSet rowSet : rowSets) {
            Query query = Query.create(TableId.of(table));
            rowSet.keys().forEach(query::rowKey);
            for (Ends ends : rowSet.ranges()) {
                ByteStringRange range = ByteStringRange.unbounded();
                if (!ends.start().isEmpty()) {
                    range = range.startClosed(ends.start());
                }
                if (!ends.end().isEmpty()) {
                    range = range.endOpen(ends.end());
                }
                query.range(range);
            }
            if (filter != null) {
                query.filter(filter);
            }
            if (limit > 0) {
                query.limit(limit);
            }
            answers.add(client.readRowsCallable().all().futureCall(query.reversed(backward)));
        }
        List<Row> rows = new ArrayList<>();
        for (ApiFuture<List<Row>> answer : answers) {
            rows.addAll(answer.get());
        }
        Comparator<Row> order = Comparator.comparing(
                row -> logical.apply(row.getKey()), ByteString.unsignedLexicographicalComparator());
        rows.sort(backward ? order.reversed() : order);
        return limit > 0 && rows.size() > limit ? rows.subList(0, (int) limit) : rows;
    }

//: values
    /** A value of a cell, read from its start. */
    private static final class Value {
        private final java.nio.ByteBuffer rest;

        Value(ByteString value) {
            rest = value.asReadOnlyByteBuffer();
        }

        boolean isEmpty() {
            return !rest.hasRemaining();
        }

        /** The next bytes. */
        ByteString take(long count) {
            if (count < 0 || count > rest.remaining()) {
                throw new IllegalArgumentException("the value ends too early");
            }
            byte[] taken = new byte[(int) count];
            rest.get(taken);
            return ByteString.copyFrom(taken);
        }

        private int next() {
            return take(1).byteAt(0) & 0xff;
        }

        /** Refuses a value of another form. */
        void expect(long found, long expected) {
            if (found != expected) {
                throw new IllegalArgumentException("the value holds something else");
            }
        }

        /** Refuses a value with more bytes. */
        void end() {
            expect(rest.remaining(), 0);
        }

        /** A number with seven bits in each byte, the lowest first. */
        long varint() {
            long number = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                int bits = next();
                number |= (bits & 0x7fL) << shift;
                if (bits < 0x80) {
                    return number;
                }
            }
            throw new IllegalArgumentException("a number of the value is too long");
        }

        private String textOf(ByteString bytes) {
            if (!bytes.isValidUtf8()) {
                throw new IllegalArgumentException("a text of the value is not UTF-8");
            }
            return bytes.toStringUtf8();
        }

        /** A text after its length. */
        String text() {
            return textOf(take(varint()));
        }

        /** A number of MessagePack, or the length of its text, list or map. */
        long head() {
            int mark = next();
            if (mark < 0x80) {
                return mark;
            }
            if (mark < 0xc0) {
                return mark & (mark < 0xa0 ? 0x0f : 0x1f);
            }
            int size = 4;
            if (mark == 0xcc || mark == 0xd9) {
                size = 1;
            } else if (mark == 0xcd || mark == 0xda || mark == 0xdc || mark == 0xde) {
                size = 2;
            } else if (mark != 0xce && mark != 0xdb && mark != 0xdd && mark != 0xdf) {
                throw new IllegalArgumentException("the value holds something else");
            }
            long number = 0;
            for (int at = 0; at < size; at++) {
                number = number << 8 | next();
            }
            return number;
        }

        /** Whether a list of MessagePack comes next. */
        boolean isList() {
            int mark = rest.get(rest.position()) & 0xff;
            return (mark & 0xf0) == 0x90 || mark == 0xdc || mark == 0xdd;
        }

        /** A text of MessagePack. */
        String packedText() {
            return textOf(take(head()));
        }
    }

//: counted
    /** How often an event has a facet. The facet is empty if the column names it. */
    public record FacetCount(String facet, String operator, String value, long count) {}

//: protobuf_counts
    /**
     * The counts in a value of a cell.
     * message FacetCounts { repeated FacetCount counts = 1; }
     * message FacetCount { string name = 1; string operator = 2; string value = 3; uint32 count = 4; }
     */
    public static List<FacetCount> decodeValue(ByteString bytes) {
        Value value = new Value(bytes);
        List<FacetCount> counts = new ArrayList<>();
        while (!value.isEmpty()) {
            // The number of the field, and the mark of a message.
            value.expect(value.varint(), 1 << 3 | 2);
            Value one = new Value(value.take(value.varint()));
            String[] texts = {"", "", "", ""};
            long count = 0;
            while (!one.isEmpty()) {
                int field = (int) (one.varint() >> 3);
                if (field < 4) {
                    texts[field] = one.text();
                } else {
                    count = one.varint();
                }
            }
            counts.add(new FacetCount(texts[1], texts[2], texts[3], count));
        }
        return counts;
    }

//: protobuf_event
    /** The event in a value of a cell: the texts of each field that it has. Field n of the message is the nth one of FIELDS. */
    public static java.util.Map<String, List<String>> decodeValue(ByteString bytes) {
        Value value = new Value(bytes);
        java.util.Map<String, List<String>> event = new java.util.TreeMap<>();
        while (!value.isEmpty()) {
            long key = value.varint();
            value.expect(key & 7, 2);
            String name = FIELDS.get((int) (key >> 3) - 1);
            event.computeIfAbsent(name, any -> new ArrayList<>()).add(value.text());
        }
        return event;
    }

//: compact_list_counts
    /** The counts in a value of a cell. */
    public static List<FacetCount> decodeValue(ByteString bytes) {
        Value value = new Value(bytes);
        List<FacetCount> counts = new ArrayList<>();
        for (long left = value.varint(); left > 0; left--) {
            String facet = TEXTS == 3 ? value.text() : "";
            counts.add(new FacetCount(facet, value.text(), value.text(), value.varint()));
        }
        value.end();
        return counts;
    }

//: compact_list_event
    /** The event in a value of a cell: the texts of each field that it has. */
    public static java.util.Map<String, List<String>> decodeValue(ByteString bytes) {
        Value value = new Value(bytes);
        java.util.Map<String, List<String>> event = new java.util.TreeMap<>();
        value.expect(value.varint(), FIELDS.size());
        for (String name : FIELDS) {
            for (long left = value.varint(); left > 0; left--) {
                event.computeIfAbsent(name, any -> new ArrayList<>()).add(value.text());
            }
        }
        value.end();
        return event;
    }

//: message_pack_counts
    /** The counts in a value of a cell. */
    public static List<FacetCount> decodeValue(ByteString bytes) {
        Value value = new Value(bytes);
        List<FacetCount> counts = new ArrayList<>();
        for (long left = value.head(); left > 0; left--) {
            value.expect(value.head(), TEXTS + 1);
            String facet = TEXTS == 3 ? value.packedText() : "";
            counts.add(new FacetCount(facet, value.packedText(), value.packedText(), value.head()));
        }
        value.end();
        return counts;
    }

//: message_pack_event
    /** The event in a value of a cell: the texts of each field that it has. */
    public static java.util.Map<String, List<String>> decodeValue(ByteString bytes) {
        Value value = new Value(bytes);
        java.util.Map<String, List<String>> event = new java.util.TreeMap<>();
        for (long left = value.head(); left > 0; left--) {
            String name = value.packedText();
            for (long texts = value.isList() ? value.head() : 1; texts > 0; texts--) {
                event.computeIfAbsent(name, any -> new ArrayList<>()).add(value.packedText());
            }
        }
        value.end();
        return event;
    }
