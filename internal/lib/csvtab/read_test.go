package csvtab

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// manyRows yields n bytes of CSV without holding them.
type manyRows struct {
	left int
	rest []byte
	row  int
}

func (m *manyRows) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, io.EOF
	}
	for len(m.rest) < len(p) {
		m.row++
		for _, text := range []string{"", ",Person ", ",\"Street "} {
			m.rest = strconv.AppendInt(append(m.rest, text...), int64(m.row), 10)
		}
		m.rest = append(m.rest, ", \"\"Town\"\"\",12.50,2026-01-02\n"...)
	}
	n := copy(p, m.rest)
	m.rest = m.rest[:copy(m.rest, m.rest[n:])]
	m.left -= n
	return n, nil
}

const fiftyMB = 50 << 20

// However many rows are read, the reader's memory is that of one.
func TestCSVMemory(t *testing.T) {
	const some = 5 << 20
	rows := newReader(t.Context(), &manyRows{left: some}, ",", true)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for n := 1; n <= 50_000; n++ {
		row, err := rows.next()
		if err != nil {
			t.Fatal(err)
		}
		if n == 50_000 && (len(row) != 5 || string(row[2]) != `Street 50000, "Town"`) {
			t.Errorf("row 50000 = %q", row)
		}
	}
	runtime.ReadMemStats(&after)
	if all := after.TotalAlloc - before.TotalAlloc; all > 1<<20 {
		t.Errorf("reading 50,000 rows allocated %d bytes in all, want at most 1 MB", all)
	}
}

// A table of 50 MB is counted whole, and of it only what is returned is kept: the
// issue allows three times the input.
func TestCSVTableMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	b := builder{source: &Source{HasHeader: true}, limit: usualRows}
	if err := b.read(newReader(t.Context(), io.MultiReader(&manyRows{left: fiftyMB}, strings.NewReader("\"\n")), ",", true)); err != nil &&
		!strings.Contains(err.Error(), "never closed") {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if len(b.table.Data) != usualRows || b.table.RowCount < 700_000 {
		t.Errorf("%d rows kept of %d, want %d of all", len(b.table.Data), b.table.RowCount, usualRows)
	}
	if all := after.TotalAlloc - before.TotalAlloc; all > 16<<20 {
		t.Errorf("reading a table of 50 MB allocated %d bytes in all, want at most 16 MB", all)
	}
}

// BenchmarkCSV reads 50 MB; 2 s is the most it may take.
func BenchmarkCSV(b *testing.B) {
	text, err := io.ReadAll(&manyRows{left: fiftyMB})
	if err != nil {
		b.Fatal(err)
	}
	text = text[:bytes.LastIndexByte(text[:fiftyMB], '\n')+1]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		builder := builder{source: &Source{HasHeader: true}, limit: usualRows}
		if err := builder.read(newReader(b.Context(), bytes.NewReader(text), ",", true)); err != nil {
			b.Fatal(err)
		}
	}
}

// A read ends with its call.
func TestCSVCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rows := newReader(ctx, &manyRows{left: fiftyMB}, ",", true)
	if _, err := rows.next(); err != nil {
		t.Fatal(err)
	}
	cancel()
	var err error
	for n := 0; err == nil && n < 100_000; n++ {
		_, err = rows.next()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("reading in a cancelled call: error %v, want %v", err, context.Canceled)
	}
}

// readCSV returns all rows of a text.
func readCSV(t testing.TB, text, delimiter string, trim bool) ([][]string, error) {
	rows := newReader(t.Context(), strings.NewReader(text), delimiter, trim)
	var all [][]string
	for {
		row, err := rows.next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		var values []string
		for _, v := range row {
			values = append(values, string(v))
		}
		all = append(all, values)
	}
}

// What the standard library takes for CSV is read as it reads it.
func FuzzReadCSV(f *testing.F) {
	for _, text := range []string{
		"a,b\n1,2\n", "\"a\"\"b\",c\r\n", "x\n\"y\nz\"", "a\"b,c", "\"a\"b,c", ",,\n,", "\ufeffa", " \"a\" ,b", "\r\r", "\"\n\"\r\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readCSV(t, text, ",", false)
		std := csv.NewReader(strings.NewReader(text))
		std.FieldsPerRecord = -1
		want, stdErr := std.ReadAll()
		if stdErr != nil || strings.ContainsRune(text, '\r') || strings.HasPrefix(text, "\ufeff") || !validText(text) {
			return // more than RFC 4180 allows: it is enough that it ended
		}
		want = slices.DeleteFunc(want, func(row []string) bool { return len(row) == 1 && strings.TrimSpace(row[0]) == "" })
		got = slices.DeleteFunc(got, func(row []string) bool { return len(row) == 1 && strings.TrimSpace(row[0]) == "" })
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q is read as %q, %v, want %q", text, got, err, want)
		}
	})
}

func validText(text string) bool {
	return strings.ToValidUTF8(text, "") == text && !strings.HasPrefix(text, "\xff\xfe")
}
