package filesystem

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestEncode(t *testing.T) {
	for _, tt := range []struct{ text, encoding, want string }{
		{"é", "", "é"},
		{"é", "UTF-8", "é"},
		{"plain", "ascii", "plain"},
		{"é", "iso-8859-1", "\xe9"},
		{"€", "windows-1252", "\x80"},
		{"\u65e5\u672c", "Shift_JIS", "\x93\xfa\x96\x7b"},
		{"hi", "UTF-16LE", "h\x00i\x00"},
		{"AAEC", "base64", "\x00\x01\x02"},
		{"AAE=", "binary", "\x00\x01"},
		{"AA\r\nE", "base64", "\x00\x01"},
		{"-_8=", "base64", "\xfb\xff"},
		{"", "base64", ""},
	} {
		if got, err := encode(tt.text, tt.encoding); err != nil || string(got) != tt.want {
			t.Errorf("encode(%q, %s) = %q, %v, want %q", tt.text, tt.encoding, got, err, tt.want)
		}
	}
	for _, tt := range [][2]string{{"é", "ascii"}, {"€", "ISO-8859-1"}, {"not base64!", "base64"}, {"x", "klingon"}} {
		if got, err := encode(tt[0], tt[1]); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("encode(%q, %s) = %q, %v, want %s", tt[0], tt[1], got, err, tool.ValidationError)
		}
	}
}
