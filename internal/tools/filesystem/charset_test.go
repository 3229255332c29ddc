package filesystem

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

func TestDecoders(t *testing.T) {
	for _, tt := range []struct {
		encoding, in, want string
		bad                bool
	}{
		{"utf-8", "naïve ж 🪓", "naïve ж 🪓", false},
		{"UTF8", "\xef\xbb\xbfmarked", "marked", false},
		{"utf-8", "inner \ufeff stays", "inner \ufeff stays", false},
		{"utf-8", "honest \ufffd", "honest \ufffd", false},
		{"utf-8", "\xff\xfeh\x00i\x00", "hi", false},
		{"utf-8", "\xfe\xff\x00h\x00i", "hi", false},
		{"utf-8", "\xff\xfe", "", false},
		{"utf-8", "cut \xe6\x96", "", true},
		{"utf-8", "\xc3(", "", true},
		{"utf-8", "nul\x00", "", true},
		{"ascii", "plain", "plain", false},
		{"US-ASCII", "caf\xc3\xa9", "", true},
		{"UTF-16", "\xfe\xff\x00h\x00i", "hi", false},
		{"UTF-16", "\xff\xfeh\x00i\x00", "hi", false},
		{"UTF-16", "\x00h\x00i", "hi", false},
		{"UTF-16LE", "\xff\xfeh\x00i\x00", "hi", false},
		{"UTF-16BE", "\xd8>\xdd\x13", "\U0001f913", false},
		{"UTF-16BE", "\xd8>", "", true},
		{"UTF-16", "odd", "", true},
		{"windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2", "Привет", false},
		{"cp1251", "\xcf", "П", false},
		{"KOI8-R", "\xf0", "П", false},
		{"windows-1252", "\x80", "€", false},
		{"ISO-8859-1", "\xe9\x80", "é\u0080", false},
		{"latin1", "\xe9", "é", false},
		{"Shift_JIS", "\x83\x4a\x83\x69", "カナ", false},
		{"GBK", "\xa7\xb1", "П", false},
		{"GBK", "\xff\xff", "", true},
		{"windows-1251", "\x98", "", true},
	} {
		decode, err := decoderOf(tt.encoding)
		if err != nil || decode == nil {
			t.Errorf("decoderOf(%s) = %v, want a decoder", tt.encoding, err)
			continue
		}
		for _, in := range []io.Reader{bytes.NewReader([]byte(tt.in)), iotest.OneByteReader(bytes.NewReader([]byte(tt.in)))} {
			got, err := io.ReadAll(decode(in))
			if errors.Is(err, errNotText) != tt.bad || !tt.bad && (err != nil || string(got) != tt.want) {
				t.Errorf("%s: %q decodes to %q, %v, want %q (bad: %v)", tt.encoding, tt.in, got, err, tt.want, tt.bad)
			}
		}
	}
	for _, name := range []string{"", "klingon", "utf-9", "UTF-32", "hz-gb-2312\x00", "replacement"} {
		if decode, err := decoderOf(name); err == nil || decode != nil {
			t.Errorf("decoderOf(%q) gave a decoder: %v, want an error", name, err)
		}
	}
}

// Errors of the file are passed on unchanged, from the first byte on.
func TestDecodersKeepErrors(t *testing.T) {
	broke := errors.New("the disk broke")
	for _, name := range []string{"utf-8", "ascii", "UTF-16", "GBK"} {
		decode, err := decoderOf(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(decode(iotest.ErrReader(broke))); !errors.Is(err, broke) {
			t.Errorf("%s: error %v, want the file's", name, err)
		}
	}
}
