package js

import (
	"strings"
	"testing"
	"time"
)

func TestScratchWorst(t *testing.T) {
	for _, unit := range []string{"a+", "a=>", `"aaaaaaaaaa"+`, "- ", "a??"} {
		n := 740
		if unit == "a=>" || unit == "a??" { n = 490 }
		if unit == "- "  { n = 1490 }
		one := strings.Repeat(unit, n) + "1;\n"
		src := strings.Repeat(one, (1<<20)/len(one))
		s := time.Now()
		_, err := Compile("x.js", src)
		t.Log(unit, len(src), time.Since(s), err)
	}
}
