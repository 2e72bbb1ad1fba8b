//: core needs=fmt
// keyError is the reason why an event has no row key.
type keyError string

func (e keyError) Error() string { return string(e) }

func fail(format string, args ...any) {
	panic(keyError(fmt.Sprintf(format, args...)))
}

// field is the text of a field.
func field(event map[string]string, name string) string {
	text, ok := event[name]
	if !ok {
		fail("the event has no value for %s", name)
	}
	return text
}

//: or
// fieldOr is the text of a field, or the placeholder if it is absent or empty.
func fieldOr(event map[string]string, name, placeholder string) string {
	if text := event[name]; text != "" {
		return text
	}
	return placeholder
}

//: utf8
func utf8(text string) []byte { return []byte(text) }

//: salted needs=strings
// beginsSalted reports whether a key begins with a salt of these digits and the separator.
func beginsSalted(key []byte, salts, digits int, separator string) bool {
	if len(key) < digits {
		return false
	}
	salt := 0
	for _, digit := range key[:digits] {
		if digit < '0' || digit > '9' {
			return false
		}
		salt = salt*10 + int(digit-'0')
	}
	return salt < salts && strings.HasPrefix(string(key[digits:]), separator)
}

//: time needs=regexp
var timeForm = regexp.MustCompile(`^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?(?: ?(?:[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|([+-])([0-9]{2})(?::?([0-9]{2}))?))?)?$`)

var countForm = regexp.MustCompile(`^(?:([0-9]{1,19})|([0-9]{9,19})\.([0-9]+))$`)

// timeMillis is the milliseconds since 1970 (UTC) of a date, a date and time, or a count of seconds to
// nanoseconds.
func timeMillis(text string) int64 {
	if counted := countForm.FindStringSubmatch(text); counted != nil {
		whole := counted[1] + counted[2]
		count := number(whole)
		switch {
		case len(text) == 8:
			return dayMillis(count/10000, count/100%100, count%100)
		case len(whole) <= 10:
			return count*1000 + number((counted[3] + "000")[:3])
		case len(whole) <= 13:
			return count
		case len(whole) <= 16:
			return count / 1000
		default:
			return count / 1_000_000
		}
	}
	found := timeForm.FindStringSubmatch(text)
	if found == nil {
		fail("%q is not a time", text)
	}
	hour, minute, second := number(found[4]), number(found[5]), number(found[6])
	millis := number((found[7] + "000")[:3])
	zoneHours, zoneMinutes := number(found[9]), number(found[10])
	if hour > 23 || minute > 59 || second > 59 || zoneHours > 23 || zoneMinutes > 59 {
		fail("%q is not a time", text)
	}
	ahead := zoneHours*60 + zoneMinutes
	if found[8] == "-" {
		ahead = -ahead
	}
	day := dayMillis(number(found[1]), number(found[2]), number(found[3]))
	return day + ((hour*60+minute-ahead)*60+second)*1000 + millis
}

//: time_format needs=regexp,strings
var months = strings.Fields("january february march april may june july august september october november december")

var weekdays = strings.Fields("monday tuesday wednesday thursday friday saturday sunday")

var patterns = map[string]*regexp.Regexp{
	" ":  regexp.MustCompile(`^ +`),
	"%Y": regexp.MustCompile(`^[0-9]{4}`),
	"%y": regexp.MustCompile(`^[0-9]{2}`),
	"%f": regexp.MustCompile(`^[0-9]+`),
	"%p": regexp.MustCompile(`^(?:[AaPp][Mm])`),
	"%s": regexp.MustCompile(`^-?[0-9]{1,15}`),
	"%z": regexp.MustCompile(`^(?:(?i:utc|gmt|z)|([+-])([0-9]{2})(?::?([0-9]{2}))?)`),
}

var shortNumber = regexp.MustCompile(`^[0-9]{1,2}`)

var letters = regexp.MustCompile(`^[A-Za-z]+`)

var fractionForm = regexp.MustCompile(`^\.([0-9]+)`)

// timeIn is the milliseconds since 1970 of a time in a format of strftime; without %z it is in UTC.
func timeIn(text, form string) int64 {
	refuse := func() { fail("%q is not a time in the format %s", text, form) }
	rest := strings.TrimSpace(text)
	read := func(pattern *regexp.Regexp) []string {
		match := pattern.FindStringSubmatch(rest)
		if match == nil {
			refuse()
		}
		rest = rest[len(match[0]):]
		return match
	}
	index := func(names []string) int64 {
		word := strings.ToLower(read(letters)[0])
		for at, name := range names {
			if word == name || word == name[:3] {
				return int64(at)
			}
		}
		refuse()
		return 0
	}
	thousandths := func(digits string) int64 { return number((digits + "000")[:3]) }
	var year, month, day, hour, minute, second, millis, ahead, count int64
	half, isCount := int64(-1), false
	for at := 0; at < len(form); at++ {
		token := form[at : at+1]
		if token == "%" && at+1 < len(form) {
			at++
			token = form[at-1 : at+1]
		}
		switch token {
		case " ":
			read(patterns[token])
		case "%Y":
			year = number(read(patterns[token])[0])
		case "%y":
			year = 1900 + number(read(patterns[token])[0])
			if year < 1969 {
				year += 100
			}
		case "%a", "%A":
			index(weekdays)
		case "%b", "%B":
			month = index(months) + 1
		case "%m":
			month = number(read(shortNumber)[0])
		case "%d":
			day = number(read(shortNumber)[0])
		case "%H", "%I":
			hour = number(read(shortNumber)[0])
			if token == "%I" && (hour < 1 || hour > 12) {
				refuse()
			}
		case "%M":
			minute = number(read(shortNumber)[0])
		case "%S":
			second = number(read(shortNumber)[0])
		case "%f":
			millis = thousandths(read(patterns[token])[0])
		case "%p":
			half = 0
			if strings.ToLower(read(patterns[token])[0]) == "pm" {
				half = 12
			}
		case "%z":
			match := read(patterns[token])
			hours, minutes := number(match[2]), number(match[3])
			if hours > 23 || minutes > 59 {
				refuse()
			}
			ahead = hours*60 + minutes
			if match[1] == "-" {
				ahead = -ahead
			}
		case "%s":
			isCount = true
			count = number(read(patterns[token])[0])
			if !strings.HasPrefix(form[at+1:], ".") && fractionForm.MatchString(rest) {
				millis = thousandths(read(fractionForm)[1])
			}
		default:
			literal := token[len(token)-1:]
			if !strings.HasPrefix(rest, literal) {
				refuse()
			}
			rest = rest[len(literal):]
		}
	}
	if rest != "" {
		refuse()
	}
	if isCount {
		return count*1000 + millis
	}
	if half >= 0 {
		hour = hour%12 + half
	}
	if hour > 23 || minute > 59 || second > 59 {
		refuse()
	}
	return dayMillis(year, month, day) + ((hour*60+minute-ahead)*60+second)*1000 + millis
}

//: day needs=strconv,time
func number(text string) int64 {
	if text == "" {
		return 0
	}
	count, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		fail("%q is not a number", text)
	}
	return count
}

func dayMillis(year, month, day int64) int64 {
	date := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	if int64(date.Year()) != year || int64(date.Month()) != month || int64(date.Day()) != day {
		fail("there is no day %d in month %d of %d", day, month, year)
	}
	return date.UnixMilli()
}

//: time_text needs=time
// timeText is a time in the form of a row key.
func timeText(millis int64, form string) string {
	first, last := int64(-62_167_219_200_000), int64(253_402_300_799_999)
	if form == "seconds" || form == "millis" || form == "reverse_time" {
		first, last = 0, 9_999_999_999_999
	}
	if millis < first || millis > last {
		fail("%d ms cannot be written as %s", millis, form)
	}
	switch form {
	case "seconds":
		return fmt.Sprintf("%010d", millis/1000)
	case "millis":
		return fmt.Sprintf("%013d", millis)
	case "reverse_time":
		return fmt.Sprintf("%013d", 9_999_999_999_999-millis)
	}
	iso := time.UnixMilli(millis).UTC().Format("2006-01-02T15:04:05.000Z")
	return iso[:map[string]int{"iso": 24, "date": 10, "month": 7, "hour": 13}[form]]
}

//: bucket
// bucket is a time, rounded down to a multiple of this many seconds since 1970.
func bucket(millis, seconds int64) int64 {
	span := seconds * 1000
	return millis - (millis%span+span)%span
}

//: pad needs=strings
// pad is a whole number in this many digits; a negative one as a minus and the nines' complement, so that it sorts correctly.
func pad(text string, width int) string {
	digits := strings.TrimSpace(text)
	negative := strings.HasPrefix(digits, "-")
	if negative || strings.HasPrefix(digits, "+") {
		digits = digits[1:]
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		fail("%q is not a whole number", text)
	}
	digits = strings.TrimLeft(digits, "0")
	if len(digits) > width {
		fail("%q has more than %d digits", text, width)
	}
	padded := []byte(strings.Repeat("0", width-len(digits)) + digits)
	if !negative || digits == "" {
		return string(padded)
	}
	for at, digit := range padded {
		padded[at] = '0' + '9' - digit
	}
	return "-" + string(padded)
}

//: reverse
func reverse(text string) string {
	runes := []rune(text)
	for low, high := 0, len(runes)-1; low < high; low, high = low+1, high-1 {
		runes[low], runes[high] = runes[high], runes[low]
	}
	return string(runes)
}

//: reverse_domain needs=regexp,strings
var schemeForm = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//`)

// reverseDomain is the domain of a URL or of a host in reverse order, before the rest of the URL without its scheme.
func reverseDomain(text string) string {
	text = text[len(schemeForm.FindString(text)):]
	end := strings.IndexAny(text, "/?#")
	if end < 0 {
		end = len(text)
	}
	host, rest, user, port := text[:end], text[end:], "", ""
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host, user = host[at+1:], "@"+host[:at]
	}
	if !strings.HasPrefix(host, "[") {
		if at := strings.IndexByte(host, ':'); at >= 0 {
			host, port = host[:at], host[at:]
		}
		if strings.Trim(host, ".0123456789") != "" {
			labels := strings.Split(strings.TrimSuffix(host, "."), ".")
			slices.Reverse(labels)
			lower := []byte(strings.Join(labels, "."))
			for at, c := range lower {
				if c >= 'A' && c <= 'Z' {
					lower[at] = c + 32
				}
			}
			host = string(lower)
		}
	}
	return host + port + user + rest
}

//: upper
// upper is a to z as A to Z, nothing else.
func upper(text string) string {
	out := []byte(text)
	for at, c := range out {
		if c >= 'a' && c <= 'z' {
			out[at] = c - 32
		}
	}
	return string(out)
}

//: lower
// lower is A to Z as a to z, nothing else.
func lower(text string) string {
	out := []byte(text)
	for at, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[at] = c + 32
		}
	}
	return string(out)
}

//: hash needs=encoding/binary,math/bits
const (
	prime1 uint64 = 0x9E3779B185EBCA87
	prime2 uint64 = 0xC2B2AE3D27D4EB4F
	prime3 uint64 = 0x165667B19E3779F9
	prime4 uint64 = 0x85EBCA77C2B2AE63
	prime5 uint64 = 0x27D4EB2F165667C5
)

// xxh64 is XXH64 with seed 0.
func xxh64(data []byte) uint64 {
	found, length := prime5, uint64(len(data))
	if len(data) >= 32 {
		one := prime1
		lanes := [4]uint64{one + prime2, prime2, 0, -one}
		for ; len(data) >= 32; data = data[32:] {
			for lane := range lanes {
				lanes[lane] = stir(lanes[lane], binary.LittleEndian.Uint64(data[8*lane:]))
			}
		}
		found = bits.RotateLeft64(lanes[0], 1) + bits.RotateLeft64(lanes[1], 7) +
			bits.RotateLeft64(lanes[2], 12) + bits.RotateLeft64(lanes[3], 18)
		for _, lane := range lanes {
			found = (found^stir(0, lane))*prime1 + prime4
		}
	}
	found += length
	for ; len(data) >= 8; data = data[8:] {
		found = bits.RotateLeft64(found^stir(0, binary.LittleEndian.Uint64(data)), 27)*prime1 + prime4
	}
	if len(data) >= 4 {
		found = bits.RotateLeft64(found^uint64(binary.LittleEndian.Uint32(data))*prime1, 23)*prime2 + prime3
		data = data[4:]
	}
	for _, c := range data {
		found = bits.RotateLeft64(found^uint64(c)*prime5, 11) * prime1
	}
	found = (found ^ found>>33) * prime2
	found = (found ^ found>>29) * prime3
	return found ^ found>>32
}

func stir(lane, number uint64) uint64 {
	return bits.RotateLeft64(lane+number*prime2, 31) * prime1
}

//: hash_hex
// hashHex is the first hexadecimal digits of the text's XXH64.
func hashHex(text string, digits int) string {
	return fmt.Sprintf("%016x", xxh64([]byte(text)))[:digits]
}

//: zorder needs=math,regexp,strconv,strings
var numberForm = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// scale is a number as a step of its range: a whole number of this many bits.
func scale(text string, low, high float64, bits int) uint64 {
	trimmed := strings.TrimSpace(text)
	value, err := strconv.ParseFloat(trimmed, 64)
	if !numberForm.MatchString(trimmed) || err != nil {
		fail("%q is not a number", text)
	}
	if !(low <= value && value <= high) {
		fail("%v is not in %v..%v", value, low, high)
	}
	steps := uint64(1) << bits
	return min(uint64(math.Floor((value-low)/(high-low)*float64(steps))), steps-1)
}

// interleave is the bits of two numbers in turn, the highest of the first one first.
func interleave(first, second uint64, bits int) uint64 {
	number := uint64(0)
	for bit := bits - 1; bit >= 0; bit-- {
		number = number<<2 | (first>>bit&1)<<1 | second>>bit&1
	}
	return number
}

//: decimal
func decimal(number uint64, width int) string { return fmt.Sprintf("%0*d", width, number) }

//: hex
func hexadecimal(number uint64, width int) string { return fmt.Sprintf("%0*x", width, number) }

//: big_endian needs=encoding/binary
func bigEndian(number uint64, width int) []byte {
	return binary.BigEndian.AppendUint64(nil, number)[8-width:]
}

//: logical
// logicalKey is a key without its salt.
func logicalKey(key string) string { return key[saltBytes:] }

//: logical_cut_over
// logicalKey is a key without its salt, if it has one. (A key that does not hold the time can have two rows, from before and
// after the cut-over.)
func logicalKey(key string) string {
	digits := saltBytes - len(separator)
	if len(key) < saltBytes || key[digits:saltBytes] != separator {
		return key
	}
	salt := 0
	for _, digit := range []byte(key[:digits]) {
		if digit < '0' || digit > '9' {
			return key
		}
		salt = salt*10 + int(digit-'0')
	}
	if salt >= salts {
		return key
	}
	return key[saltBytes:]
}

//: parameters needs=fmt,time
// keepError makes the reason why a value has no key the error of a function.
func keepError(err *error) {
	if why := recover(); why != nil {
		keyErr, ok := why.(keyError)
		if !ok {
			panic(why)
		}
		*err = keyErr
	}
}

// millisOf is the milliseconds since 1970, rounded up.
func millisOf(at time.Time) int64 { return at.Add(-1).UnixMilli() + 1 }

// endsOf is the ends of the keys that begin with a text; an empty end is none.
func endsOf(low []byte) [2]string { return endsBetween(low, low) }

// endsBetween is the ends of the keys that begin with a text from low to high.
func endsBetween(low, high []byte) [2]string {
	end := slices.Clone(high)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
	}
	return [2]string{string(low), string(end)}
}

// timeEnds is the ends of the keys with a time of [start, end) after the head. The format has times from first to last.
func timeEnds(head []byte, start, end *time.Time, first, last int64, text func(int64) []byte, backward bool) [2]string {
	low, high := first, last
	if start != nil {
		low = max(first, millisOf(*start))
	}
	if end != nil {
		high = min(last, millisOf(*end)-1)
	}
	if low > high {
		return [2]string{"1", "0"}
	}
	var from, to []byte
	if low > first {
		from = text(low)
	}
	if high < last {
		to = text(high)
	}
	if backward {
		from, to = to, from
	}
	return endsBetween(slices.Concat(head, from), slices.Concat(head, to))
}

// rowsWithin is the row sets of the keys between two ends, after each prefix.
func rowsWithin(prefixes [][]byte, ends [2]string) []rowSet {
	if ends[1] != "" && ends[0] >= ends[1] {
		return nil
	}
	var sets []rowSet
	for _, prefix := range prefixes {
		end := endsOf(prefix)[1]
		if ends[1] != "" {
			end = string(prefix) + ends[1]
		}
		sets = append(sets, rowSet{nil, [][2]string{{string(prefix) + ends[0], end}}})
	}
	return sets
}

func singleRows(prefixes [][]byte, key []byte) []rowSet {
	var sets []rowSet
	for _, prefix := range prefixes {
		sets = append(sets, rowSet{[]string{string(prefix) + string(key)}, nil})
	}
	return sets
}

func allSalts(count, width int, separator string) [][]byte {
	var salts [][]byte
	for salt := range count {
		salts = append(salts, []byte(fmt.Sprintf("%0*d", width, salt)+separator))
	}
	return salts
}

//: query
// rowSet is keys, and ranges from a start (inclusive) to an end (exclusive; empty for none).
type rowSet struct {
	keys   []string
	ranges [][2]string
}

// read returns the rows of all sets, read at the same time, in the order of their logical keys.
func read(ctx context.Context, table *bigtable.Table, rowSets []rowSet, filter bigtable.Filter, limit int64, backward bool, logical func(string) string) ([]bigtable.Row, error) {
	answers := make([][]bigtable.Row, len(rowSets))
	errs := make([]error, len(rowSets))
	var group sync.WaitGroup
	for at, set := range rowSets {
		var options []bigtable.ReadOption
		if filter != nil {
			options = append(options, bigtable.RowFilter(filter))
		}
		if limit > 0 {
			options = append(options, bigtable.LimitRows(limit))
		}
		if backward {
			options = append(options, bigtable.ReverseScan())
		}
		var ranges bigtable.RowRangeList
		for _, key := range set.keys {
			ranges = append(ranges, bigtable.NewClosedRange(key, key))
		}
		for _, ends := range set.ranges {
			ranges = append(ranges, bigtable.NewRange(ends[0], ends[1]))
		}
		group.Add(1)
		go func(at int) {
			defer group.Done()
			errs[at] = table.ReadRows(ctx, ranges, func(row bigtable.Row) bool {
				answers[at] = append(answers[at], row)
				return true
			}, options...)
		}(at)
	}
	group.Wait()
	rows := slices.Concat(answers...)
	slices.SortStableFunc(rows, func(a, b bigtable.Row) int {
		order := strings.Compare(logical(a.Key()), logical(b.Key()))
		if backward {
			return -order
		}
		return order
	})
	if limit > 0 && int64(len(rows)) > limit {
		rows = rows[:limit]
	}
	return rows, errors.Join(errs...)
}

//: values
// valueReader reads a value of a cell from its start. After an error it returns nothing.
type valueReader struct {
	rest []byte
	err  error
}

// fail keeps the first error.
func (r *valueReader) fail(message string) {
	if r.err == nil {
		r.err = errors.New(message)
	}
	r.rest = nil
}

// expect refuses a value of another form.
func (r *valueReader) expect(found, expected uint64) {
	if found != expected {
		r.fail("the value holds something else")
	}
}

// end refuses a value with more bytes. It returns the first error.
func (r *valueReader) end() error {
	r.expect(uint64(len(r.rest)), 0)
	return r.err
}

// take returns the next bytes.
func (r *valueReader) take(count uint64) []byte {
	if count > uint64(len(r.rest)) {
		r.fail("the value ends too early")
		return nil
	}
	taken := r.rest[:count]
	r.rest = r.rest[count:]
	return taken
}

// varint returns a number with seven bits in each byte, the lowest first.
func (r *valueReader) varint() uint64 {
	var number uint64
	for shift := 0; shift < 64; shift += 7 {
		next := r.take(1)
		if len(next) == 0 {
			return 0
		}
		number |= uint64(next[0]&0x7f) << shift
		if next[0] < 0x80 {
			return number
		}
	}
	r.fail("a number of the value is too long")
	return 0
}

// textOf returns bytes of the value as a text.
func (r *valueReader) textOf(bytes []byte) string {
	text := string(bytes)
	if strings.ToValidUTF8(text, "") != text {
		r.fail("a text of the value is not UTF-8")
	}
	return text
}

// text returns a text after its length.
func (r *valueReader) text() string {
	return r.textOf(r.take(r.varint()))
}

// head returns a number of MessagePack, or the length of its text, list or map.
func (r *valueReader) head() uint64 {
	mark := r.take(1)
	if len(mark) == 0 {
		return 0
	}
	size := uint64(4)
	switch first := mark[0]; {
	case first < 0x80:
		return uint64(first)
	case first < 0xa0:
		return uint64(first & 0x0f)
	case first < 0xc0:
		return uint64(first & 0x1f)
	case first == 0xcc || first == 0xd9:
		size = 1
	case first == 0xcd || first == 0xda || first == 0xdc || first == 0xde:
		size = 2
	case first != 0xce && first != 0xdb && first != 0xdd && first != 0xdf:
		r.fail("the value holds something else")
		return 0
	}
	var number uint64
	for _, next := range r.take(size) {
		number = number<<8 | uint64(next)
	}
	return number
}

// isList tells whether a list of MessagePack comes next.
func (r *valueReader) isList() bool {
	return len(r.rest) > 0 && (r.rest[0]&0xf0 == 0x90 || r.rest[0] == 0xdc || r.rest[0] == 0xdd)
}

// packedText returns a text of MessagePack.
func (r *valueReader) packedText() string {
	return r.textOf(r.take(r.head()))
}

// times calls next as often as count says, until an error.
func (r *valueReader) times(count uint64, next func()) {
	for ; count > 0 && r.err == nil; count-- {
		next()
	}
}

// message calls each with the number and the content of each field of a protobuf message: bytes or a number.
func (r *valueReader) message(each func(field uint64, content []byte, number uint64)) {
	for len(r.rest) > 0 && r.err == nil {
		key, number := r.varint(), r.varint()
		if key&7 == 2 {
			each(key>>3, r.take(number), 0)
		} else {
			each(key>>3, nil, number)
		}
	}
}

//: counted
// FacetCount is how often an event has a facet. The facet is empty if the column names it.
type FacetCount struct {
	Facet, Operator, Value string
	Count                  uint64
}

//: protobuf_counts
// decodeValue returns the counts in a value of a cell:
// message FacetCounts { repeated FacetCount counts = 1; }
// message FacetCount { string name = 1; string operator = 2; string value = 3; uint32 count = 4; }
func decodeValue(value []byte) ([]FacetCount, error) {
	r := &valueReader{rest: value}
	var counts []FacetCount
	r.message(func(field uint64, content []byte, _ uint64) {
		if field != 1 || content == nil {
			r.fail("the value holds something else")
			return
		}
		var texts [4]string
		var count uint64
		one := &valueReader{rest: content}
		one.message(func(field uint64, content []byte, number uint64) {
			if field < 4 {
				texts[field] = one.textOf(content)
			} else {
				count = number
			}
		})
		r.err = errors.Join(r.err, one.err)
		counts = append(counts, FacetCount{texts[1], texts[2], texts[3], count})
	})
	return counts, r.err
}

//: protobuf_event
// decodeValue returns the event in a value of a cell: the texts of each field that it has. Field n of the message is the nth one of FIELDS.
func decodeValue(value []byte) (map[string][]string, error) {
	r := &valueReader{rest: value}
	event := map[string][]string{}
	r.message(func(field uint64, content []byte, _ uint64) {
		if field == 0 || field > uint64(len(FIELDS)) || content == nil {
			r.fail("the value holds something else")
			return
		}
		name := FIELDS[field-1]
		event[name] = append(event[name], r.textOf(content))
	})
	return event, r.err
}

//: compact_list_counts
// decodeValue returns the counts in a value of a cell.
func decodeValue(value []byte) ([]FacetCount, error) {
	r := &valueReader{rest: value}
	var counts []FacetCount
	r.times(r.varint(), func() {
		var texts [3]string
		for at := 3 - TEXTS; at < 3; at++ {
			texts[at] = r.text()
		}
		counts = append(counts, FacetCount{texts[0], texts[1], texts[2], r.varint()})
	})
	return counts, r.end()
}

//: compact_list_event
// decodeValue returns the event in a value of a cell: the texts of each field that it has.
func decodeValue(value []byte) (map[string][]string, error) {
	r := &valueReader{rest: value}
	event := map[string][]string{}
	r.expect(r.varint(), uint64(len(FIELDS)))
	for _, name := range FIELDS {
		r.times(r.varint(), func() { event[name] = append(event[name], r.text()) })
	}
	return event, r.end()
}

//: message_pack_counts
// decodeValue returns the counts in a value of a cell.
func decodeValue(value []byte) ([]FacetCount, error) {
	r := &valueReader{rest: value}
	var counts []FacetCount
	r.times(r.head(), func() {
		r.expect(r.head(), TEXTS+1)
		var texts [3]string
		for at := 3 - TEXTS; at < 3; at++ {
			texts[at] = r.packedText()
		}
		counts = append(counts, FacetCount{texts[0], texts[1], texts[2], r.head()})
	})
	return counts, r.end()
}

//: message_pack_event
// decodeValue returns the event in a value of a cell: the texts of each field that it has.
func decodeValue(value []byte) (map[string][]string, error) {
	r := &valueReader{rest: value}
	event := map[string][]string{}
	r.times(r.head(), func() {
		name, length := r.packedText(), uint64(1)
		if r.isList() {
			length = r.head()
		}
		r.times(length, func() { event[name] = append(event[name], r.packedText()) })
	})
	return event, r.end()
}
