package audit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// split returns the records of a message as text.
func split(t *testing.T, about, data string) (parts []string) {
	t.Helper()
	for part, record := range Records(about, []byte(data)) {
		if part != len(parts) {
			t.Fatalf("record %d has part %d", len(parts), part)
		}
		parts = append(parts, string(record))
	}
	return parts
}

// TestRecords splits messages that are blocks, and no others.
func TestRecords(t *testing.T) {
	t.Parallel()
	long := func(s string) string { return s + strings.Repeat(".", leastRecord) }
	a, b := long("a"), long("b")
	many := strings.Repeat(a+"\n", 3000)
	for _, tt := range []struct {
		name, about, data string
		want              []string
	}{
		{"one record", "echo", a, []string{a}},
		{"one record in a block", BlockAbout, a, []string{a}},
		{"two", BlockAbout, a + "\n" + b, []string{a, b}},
		{"a short line between", BlockAbout, a + "\nx\n" + b, []string{a, "x", b}},
		{"short lines between", BlockAbout, a + "\nx\ny\n\n" + b, []string{a, "x\ny\n", b}},
		{"short lines first and last", BlockAbout, "x\n\n" + a + "\ny\nz", []string{"x\n", a, "y\nz"}},
		{
			"short lines that are long together", BlockAbout, strings.Repeat("x\n", 40),
			[]string{strings.Repeat("x\n", 32) + "x", strings.Repeat("x\n", 7)},
		},
		{"empty", BlockAbout, "", []string{""}},
		{"a line end", BlockAbout, a + "\n", []string{a, ""}},
		{"an empty line between", BlockAbout, a + "\n\n" + b, []string{a, "", b}},
		{"an empty line first", BlockAbout, "\n" + b, []string{"", b}},
		{"a record with line ends", "echo", a + "\n" + b, []string{a + "\n" + b}},
		{"too many", BlockAbout, many, append(slices.Repeat([]string{a}, 999), many[66*999:])},
		{"as many as there may be", BlockAbout, many[:66*1000-1], slices.Repeat([]string{a}, 1000)},
	} {
		if got := split(t, tt.about, tt.data); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %d records %.300q, want %d %.300q", tt.name, len(got), got, len(tt.want), tt.want)
		}
	}
	for part := range Records(BlockAbout, []byte(many)) {
		if part == 1 {
			break
		}
	}
	// The shortest record is longer than a line that is taken for none.
	shortest := `{"audit_id":"a","time":"0001-01-01T00:00:01Z","phase":"a","tenant":"a"}`
	if !isRecord("a", "", []byte(shortest)) || len(shortest) <= leastRecord {
		t.Errorf("%s has %d bytes", shortest, len(shortest))
	}
}

// TestRecordsCopiesNothing checks that a record is a slice of its message which
// cannot be appended into the next one.
func TestRecordsCopiesNothing(t *testing.T) {
	const text = "aaa\n" + "................................................................................" + "\nccc"
	data := []byte(text)
	for _, record := range Records(BlockAbout, data) {
		_ = append(record, "zz"...)
	}
	if string(data) != text {
		t.Errorf("the message became %q", data)
	}
	if n := testing.AllocsPerRun(10, func() {
		for range Records(BlockAbout, data) {
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// FuzzRecords splits anything, and puts it together again.
func FuzzRecords(f *testing.F) {
	for _, seed := range []string{
		"", "a", "a\nb", "\n", "\n\n\n", strings.Repeat("\n", 2000), strings.Repeat("x", 70) + "\n\n" + strings.Repeat("y", 70) + "\n",
		"{\"a\":\"\\n\"}\r\n\x00\xff",
	} {
		f.Add(true, []byte(seed))
		f.Add(false, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, block bool, data []byte) {
		about := "echo"
		if block {
			about = BlockAbout
		}
		var parts [][]byte
		for part, record := range Records(about, data) {
			if part != len(parts) {
				t.Fatalf("part %d at %d", part, len(parts))
			}
			parts = append(parts, record)
		}
		if len(parts) == 0 || len(parts) > MaxParts || !block && len(parts) != 1 || !bytes.Equal(bytes.Join(parts, newline), data) {
			t.Fatalf("%d parts of %q do not make it again", len(parts), data)
		}
		if len(parts) > 3+2*len(data)/leastRecord {
			t.Fatalf("%d parts of %d bytes", len(parts), len(data))
		}
		if !block || len(parts) == MaxParts {
			return
		}
		for line := range bytes.SplitSeq(data, newline) {
			if len(line) >= leastRecord && !slices.ContainsFunc(parts, func(part []byte) bool { return bytes.Equal(part, line) }) {
				t.Fatalf("line %q is hidden in %q", line, parts)
			}
		}
	})
}

// TestParsePlace reads what String wrote, and nothing else.
func TestParsePlace(t *testing.T) {
	t.Parallel()
	for _, p := range []Place{{}, {7, 0}, {7, 1}, {1 << 62, 999}} {
		if got, err := ParsePlace(p.String()); err != nil || got != p {
			t.Errorf("ParsePlace(%q) = %v, %v", p, got, err)
		}
	}
	for _, text := range []string{
		"", "x", "07", "+7", "7.", "7.0", "7.01", "7.1000", "7.-1", "7.+1", "7.1.1", " 7", "-1", "9223372036854775808", "7.1 ",
	} {
		if got, err := ParsePlace(text); err == nil {
			t.Errorf("ParsePlace(%q) = %v, want an error", text, got)
		}
	}
	ordered := []Place{{}, {1, 0}, {1, 1}, {1, 999}, {2, 0}}
	if !slices.IsSortedFunc(ordered, Place.Compare) || (Place{3, 4}).Compare(Place{3, 4}) != 0 {
		t.Error(fmt.Sprint("the order of places is not ", ordered))
	}
}
