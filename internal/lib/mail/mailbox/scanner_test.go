package mailbox

import (
	"errors"
	"strings"
	"testing"
)

func TestScanner(t *testing.T) {
	deep := strings.Repeat("(", maxNesting+1)
	for _, tt := range []struct {
		text string
		want error
	}{
		{"* OK hello\r\n", nil},
		{"* OK " + deep + "\r\n", nil},
		{"T1 OK " + deep + " {9}\r\n* 1 FETCH (FLAGS ())\r\n", nil},
		{"+ " + deep + "\r\n", nil},
		{"* 1 FETCH (BODY[] {" + "5}\r\n(((((" + ")\r\n", nil},
		{"* 1 FETCH (BODY[] \"" + deep + "\")\r\n", nil},
		{"* 1 FETCH (BODY[] \"\\\"" + deep + "\")\r\n", nil},
		{"* 1 FETCH (BODY[] {201}\r\n" + deep + ")\r\n* 1 FETCH ()\r\n", nil},
		{"* OK [X] [\r\n", nil},
		{strings.Repeat("* 1 FETCH (FLAGS (a) BODY (b))\r\n", 1000), nil},
		{"* 1 FETCH " + deep, errNested},
		{"* LIST " + deep, errNested},
		{"* 12 FETCH (BODY[] {0}\r\n" + deep, errNested},
		{"* 12 FETCH (BODY[] {2 }\r\n", errLiteral},
		{"* 12 FETCH (BODY[] {}\r\n", errLiteral},
		{"* 12 FETCH (BODY[] {99999999999999999999}\r\n", errLiteral},
		{"* 1 FETCH (BODY[] {200}\r\n" + deep + deep, errNested},
		{"* no OK\r\n* 1 FETCH \"a\r\n\" " + deep, errNested},
		{"* 1 OK {900}\r\n* 2 FETCH " + deep, errNested},
		{"* bye {900}\r\n* 2 FETCH " + deep, errNested},
		{"T1 FETCH {900}\r\n* 2 FETCH " + deep, errNested},
		{"* OK [X\r\n", errUnbalanced},
		{"T1 NO [X\r\n", errUnbalanced},
	} {
		for size := range 4 { // whatever the pieces in which it comes
			var s scanner
			var err error
			for rest := tt.text; rest != "" && err == nil; {
				n := min(len(rest), []int{1, 2, 7, len(rest)}[size])
				err = s.feed([]byte(rest[:n]))
				rest = rest[n:]
			}
			if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("%.60q in pieces: %v, want %v", tt.text, err, tt.want)
			}
		}
	}
}
