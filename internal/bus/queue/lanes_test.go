package queue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/protocol"
)

func TestLanesOf(t *testing.T) {
	t.Parallel()
	pairs := map[string]int{}
	for i := range 1000 {
		user := fmt.Sprint("u", i)
		first, second := queue.LanesOf("acme", user, "")
		if first == second || strings.HasPrefix(first+second, "b") {
			t.Fatalf("LanesOf(%s) = %q, %q, want two lanes, none of them for batch", user, first, second)
		}
		if a, b := queue.LanesOf("acme", user, ""); a != first || b != second {
			t.Fatalf("LanesOf(%s) = %q, %q, then %q, %q", user, first, second, a, b)
		}
		pairs[first+second]++
		a, b := queue.LanesOf("acme", user, protocol.PriorityBatch)
		if a == b || a[0] != 'b' || b[0] != 'b' {
			t.Fatalf("LanesOf(%s, batch) = %q, %q, want two lanes for batch", user, a, b)
		}
	}
	if len(pairs) != 8*7 {
		t.Errorf("1000 users have %d pairs of lanes, want all 56", len(pairs))
	}
	one, _ := queue.LanesOf("acme", "u", "")
	other := 0
	for i := range 100 {
		if l, _ := queue.LanesOf(fmt.Sprint("t", i), "u", ""); l != one {
			other++
		}
	}
	if other < 50 {
		t.Errorf("the same user of %d tenants of 100 has another lane, want most", other)
	}
}
