// Package testmutate changes files at random, for tests of parsers of what strangers send.
//
// The same seeds give the same files in every run, so that a failure can be repeated. The
// package promises no coverage: it finds the panics and the endless loops that lie a few
// changes from a good file.
package testmutate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Patience is the time after which one file counts as an endless loop.
const Patience = 20 * time.Second

// Count is the number of files that a test makes of each format.
const Count = 500

// Each calls parse with count files that are changed from the seeds, the seeds first. It
// reports a panic with the file, and fails if parse does not return.
func Each(t *testing.T, count int, seeds [][]byte, parse func(data []byte)) {
	t.Helper()
	for i := range count {
		data := File(seeds, i)
		problem := make(chan string, 1)
		go func() {
			defer func() {
				if v := recover(); v != nil {
					problem <- fmt.Sprintf("panic: %v", v)
				}
				close(problem)
			}()
			parse(bytes.Clone(data))
		}()
		select {
		case text := <-problem:
			if text != "" {
				t.Errorf("file %d: %s, of %.2000q", i, text, data)
			}
		case <-time.After(Patience):
			t.Fatalf("file %d is not read in %s: %.2000q", i, Patience, data)
		}
	}
}

// File returns file number i of the seeds.
func File(seeds [][]byte, i int) []byte {
	if i < len(seeds) {
		return seeds[i]
	}
	r := rand.New(rand.NewPCG(uint64(i), 28))
	data := bytes.Clone(seeds[i%len(seeds)])
	for range 1 + r.IntN(6) {
		data = change(r, data, seeds[r.IntN(len(seeds))])
	}
	return data
}

// words are put into files: what ends, begins, multiplies and overflows in many formats.
var words = []string{
	"", "\x00", "\n", "\r\n", "\r\n ", ":", ";", "=", ",", "\"", "'", "<", ">", "&", "{", "}", "[", "]", "(", ")", "%", "\\", "/", "-1", "0",
	"999999999999999999999", "2147483648", "4294967295", "1e999", "NaN", "\xff\xfe", "\xef\xbb\xbf", "\xed\xa0\x80", "\xf0\x9f\x98\x80",
	"&#x110000;", "*a", "&a",
	"BEGIN:", "END:", "<!--", "<![CDATA[", "]]>", "null", "true", "<<", ">>", "endobj", "stream", "\x7f\xff\xff\xff", "\xff\xff\xff\xff",
}

// change returns data with one change. Other is a file to take pieces of.
func change(r *rand.Rand, data, other []byte) []byte {
	at := r.IntN(len(data) + 1)
	end := min(at+1+r.IntN(1+r.IntN(64)), len(data))
	switch r.IntN(9) {
	case 0: // flip a bit
		if at < len(data) {
			data[at] ^= 1 << r.IntN(8)
		}
	case 1: // cut the end off
		return data[:at]
	case 2: // leave a piece out
		return slices.Delete(data, at, end)
	case 3: // repeat a piece
		return slices.Insert(data, at, bytes.Repeat(data[at:end], 1+r.IntN(40))...)
	case 4: // put a word in
		return slices.Insert(data, at, []byte(words[r.IntN(len(words))])...)
	case 5: // put a word in place of a piece
		return slices.Replace(data, at, end, []byte(words[r.IntN(len(words))])...)
	case 6: // put a piece of another file in
		from := r.IntN(len(other) + 1)
		return slices.Insert(data, at, other[from:min(from+1+r.IntN(200), len(other))]...)
	case 7: // exchange two lines
		lines := bytes.SplitAfter(data, []byte("\n"))
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return slices.Concat(lines...)
	default: // put many of one byte in
		return slices.Insert(data, at, bytes.Repeat([]byte{words[1+r.IntN(24)][0]}, 1+r.IntN(3000))...)
	}
	return data
}
