package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A child that follows the frames always has the sources of the library, within the bounds.
func TestLibrary(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"many": 10, "large": 1 << 20} {
		var l library
		child := map[uint64]string{}
		for i := range 200 {
			j := &Job{Name: "n", Code: fmt.Sprint(i%40, strings.Repeat("x", size))}
			if i%3 == 0 {
				j.Code = "used often"
			}
			number, news := l.use(j)
			if news != nil {
				for _, old := range news.Forget {
					delete(child, old)
				}
				child[news.Number] = news.Code
			}
			if child[number] != j.Code {
				t.Fatalf("%s: the child runs another program", name)
			}
			total := 0
			for _, code := range child {
				total += len(code)
			}
			if len(child) > 32 || total > 8<<20 || total != l.size {
				t.Fatalf("%s: the child has %d programs with %d bytes", name, len(child), total)
			}
			if i > 0 && !slices.Contains(slices.Collect(codes(child)), "used often") {
				t.Errorf("%s: what is used often was forgotten", name)
			}
		}
	}
	var l library
	one, _ := l.use(&Job{Name: "a", Code: "return 1"})
	if two, news := l.use(&Job{Name: "b", Code: "return 1"}); one == two || news == nil {
		t.Error("two names share a program, and so the positions in their errors")
	}
}

func codes(m map[uint64]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, code := range m {
			if !yield(code) {
				return
			}
		}
	}
}
