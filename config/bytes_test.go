package config

import "testing"

func TestParseBytes(t *testing.T) {
	for in, want := range map[string]Bytes{
		"0": 0, "17": 17, "-1": -1, " 8MiB ": 8 << 20, "8 MiB": 8 << 20, "1KiB": 1 << 10, "3GiB": 3 << 30, "2TiB": 2 << 40,
	} {
		if got, err := ParseBytes(in); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "MiB", "8MB", "8M", "1.5GiB", "9223372036854775808", "9007199254740992KiB", "0x10", "8MiBMiB"} {
		if got, err := ParseBytes(in); err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", in, got)
		}
	}
}

func TestBytesString(t *testing.T) {
	for in, want := range map[Bytes]string{
		0: "0", 17: "17", 1 << 10: "1KiB", 1000: "1000", 8 << 20: "8MiB", 1 << 40: "1TiB", 1<<20 + 1: "1048577", -(1 << 20): "-1MiB",
	} {
		if got := in.String(); got != want {
			t.Errorf("Bytes(%d).String() = %q, want %q", int64(in), got, want)
		}
		if back, err := ParseBytes(in.String()); err != nil || back != in {
			t.Errorf("ParseBytes(%q) = %d, %v, want %d", in.String(), back, err, in)
		}
	}
}
