package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/lib/latency"
	"github.com/helve-dev/helve/protocol"
)

var start = time.Date(2026, 11, 18, 10, 0, 0, 0, time.UTC)

// at returns the time of the nth sample.
func at(n int) time.Time { return start.Add(time.Duration(n) * Step) }

// worker returns a worker that has ended calls, each in this time.
func worker(id string, succeeded, failed uint64, each time.Duration) Worker {
	var h latency.Histogram
	for range succeeded + failed {
		h.Observe(each)
	}
	return Worker{ID: id, Since: start, Busy: 1, Slots: 4, Succeeded: succeeded, Failed: failed, Times: h.Counts()}
}

func sample(n int, backlog int64, workers ...Worker) Sample {
	return Sample{At: at(n), Pools: map[string]Pool{"default": {Workers: workers, Backlog: &backlog}}}
}

// last returns the place of the newest step.
func last(t *testing.T, m protocol.MetricsHistory) int {
	t.Helper()
	n := len(m.Times)
	for _, s := range append(m.Pools, m.Total) {
		if n == 0 || len(m.Known) != n || len(s.Success) != n || len(s.Error) != n || len(s.P50) != n || len(s.P99) != n ||
			len(s.Backlog) != n || len(s.Busy) != n || len(s.Slots) != n {
			t.Fatalf("the series have different lengths: %+v", m)
		}
	}
	return n - 1
}

// TestRates: what ended in a minute counts once, and a worker that starts again begins at zero.
func TestRates(t *testing.T) {
	h := New(sample(0, 0, worker("w1", 1000, 0, time.Second))) // what it did before does not count
	h.Add(sample(1, 3, worker("w1", 1020, 0, time.Second)))
	h.Add(sample(2, 0, worker("w1", 1050, 10, time.Second), worker("w2", 10, 0, time.Second)))
	m := h.Last(t.Context(), time.Hour)
	i := last(t, m)
	if m.StepSeconds != 60 || i != 59 || !m.Known[i] || m.Known[i-1] || !m.Since.Equal(start) || !m.Times[i].Equal(at(2)) ||
		!m.Times[i-1].Equal(start) || len(m.Pools) != 1 || m.Pools[0].Name != "default" {
		t.Fatalf("the history is %+v", m)
	}
	for _, s := range []protocol.MetricsSeries{m.Total, m.Pools[0]} {
		if s.Success[i] != 3 || s.Error[i] != 0.5 || s.P50[i] == nil || *s.P50[i] < 500 || *s.P50[i] > 1100 || *s.Backlog[i] != 3 ||
			s.Busy[i] != 2 || s.Slots[i] != 8 || s.P99[i-1] != nil || s.Backlog[i-1] != nil {
			t.Errorf("%q: %v, %v, %v, %v, %v", s.Name, s.Success[i], s.Error[i], *s.Backlog[i], s.Busy[i], s.Slots[i])
		}
	}
	again := worker("w1", 30, 0, time.Second)
	again.Since = at(5)
	h.Add(sample(6, 0, worker("w1", 1050, 10, time.Second), worker("w2", 10, 0, time.Second)))
	h.Add(sample(7, 0, again, worker("w2", 10, 0, time.Second)))
	old := worker("w3", 1000, 0, time.Second) // it was not seen when it did that
	old.Since = start.Add(-time.Hour)
	h.Add(sample(8, 0, again, worker("w2", 10, 0, time.Second), old))
	if m = h.Last(t.Context(), 2*time.Minute); len(m.Times) != 2 || m.Total.Success[0] != 1 || m.Total.Success[1] != 1.5 || m.Total.Error[1] != 0 {
		t.Errorf("the last two minutes: %+v", m.Total)
	}
	h.Add(Sample{At: at(8)}) // the clock stood still
	h.Add(Sample{At: at(12)})
	h.Add(Sample{At: at(13)})
	m = h.Last(t.Context(), time.Minute)
	if s := m.Total; !m.Known[0] || s.Success[0] != 0 || s.P50[0] != nil || s.Backlog[0] != nil || s.Slots[0] != 0 || len(m.Pools) != 0 {
		t.Errorf("without workers: %+v", m)
	}
}

// store holds the minutes that dispatchers stored, as the bucket keeps them.
type store map[string][]byte

// put stores the due minutes of a history as a dispatcher does, and returns the number of writes.
func (s store) put(t *testing.T, h *History) (writes int) {
	t.Helper()
	for _, m := range h.Due() {
		before, _ := Decode(m.Key(), s[m.Key()])
		if next, changed := Merge(before, m); changed {
			value, err := next.Encode()
			if err != nil {
				t.Fatal(err)
			}
			s[m.Key()], writes = value, writes+1
		}
		h.Done(m)
	}
	return writes
}

// load gives a history what is stored, as a dispatcher that starts does.
func (s store) load(h *History) {
	for n := start.Unix()/60 - 1; n < start.Unix()/60+9*24*60; n++ {
		if m, ok := Decode(fmt.Sprint(n), s[fmt.Sprint(n)]); ok {
			h.Stored(m)
		}
	}
}

// total returns the stored calls of all minutes.
func (s store) total(t *testing.T) (calls uint64) {
	t.Helper()
	for key, value := range s {
		m, ok := Decode(key, value)
		if !ok {
			t.Fatalf("%s is %s", key, value)
		}
		calls += m.Total.calls()
	}
	return calls
}

// TestTwoDispatchers: a call that two dispatchers have counted is stored once, with one write a
// minute; if one of them dies, no minute is missing.
func TestTwoDispatchers(t *testing.T) {
	s := store{}
	a, b := New(sample(0, 0, worker("w", 0, 0, 0))), New(sample(0, 0, worker("w", 0, 0, 0)))
	writes := 0
	for n := 1; n <= 60; n++ {
		now := sample(n, 0, worker("w", uint64(10*n), 0, time.Second))
		if n < 33 { // a dies in the middle of a minute, and stores nothing of it
			a.Add(now)
			writes += s.put(t, a)
		}
		b.Add(now)
		writes += s.put(t, b)
	}
	if got := s.total(t); got != 600 || len(s) != 10 || writes != 10 {
		t.Errorf("%d calls in %d minutes with %d writes, want 600, 10 and 10", got, len(s), writes)
	}
}

// TestSuccessor: the rest of a minute is added to what a dispatcher that ended has stored of it;
// a dispatcher that has watched all of the minute replaces both, and changes nothing that is equal.
func TestSuccessor(t *testing.T) {
	s := store{}
	other := New(sample(0, 0, worker("w", 0, 0, 0)))
	a := New(sample(0, 0, worker("w", 0, 0, 0)))
	for n := 1; n <= 3; n++ {
		a.Add(sample(n, 0, worker("w", uint64(10*n), 0, time.Second)))
		other.Add(sample(n, 0, worker("w", uint64(10*n), 0, time.Second)))
	}
	a.End()
	s.put(t, a)
	b := New(sample(4, 0, worker("w", 40, 0, time.Second))) // nobody saw ten calls
	s.load(b)
	for n := 5; n <= 6; n++ {
		b.Add(sample(n, 0, worker("w", uint64(10*n), 0, time.Second)))
	}
	for range 2 {
		if m := b.Last(t.Context(), time.Minute); m.Total.Success[0] != 1 {
			t.Errorf("the minute of two dispatchers has %v calls/s, want 1", m.Total.Success[0])
		}
		s.put(t, b)
		s.load(b)
	}
	if got := s.total(t); got != 50 {
		t.Errorf("%d calls are stored, want 50", got)
	}
	for n := 4; n <= 6; n++ {
		other.Add(sample(n, 0, worker("w", uint64(10*n), 0, time.Second)))
	}
	if writes, got := s.put(t, other), s.total(t); writes != 1 || got != 60 {
		t.Errorf("%d writes left %d calls, want 1 and 60", writes, got)
	}
	full, _ := Decode(fmt.Sprint(start.Unix()/60), s[fmt.Sprint(start.Unix()/60)])
	late := full
	late.From, late.To, late.Watched = late.From+3, late.To+4, late.Watched+1 // a timer is a little late
	if _, changed := Merge(full, late); changed {
		t.Error("an account that is a millisecond longer replaces another")
	}
}

// TestRestart: a new history over the same store answers with what is stored, in few steps.
func TestRestart(t *testing.T) {
	s := store{}
	h := New(sample(0, 0, worker("w", 0, 0, 0)))
	const minutes = 8 * 24 * 60
	var done latency.Histogram
	for n := 1; n <= minutes; n++ {
		if n < minutes/2 {
			done.Observe(time.Millisecond)
			done.Observe(time.Minute)
		}
		w := worker("w", uint64(min(n, minutes/2-1)*2), 0, 0)
		w.Times = done.Counts()
		h.Add(Sample{At: start.Add(time.Duration(n) * time.Minute), Pools: map[string]Pool{"default": {Workers: []Worker{w}}}})
		for _, m := range h.Due() {
			value, err := m.Encode()
			if err != nil || len(value) > 300 {
				t.Fatalf("a minute has %d bytes: %v", len(value), err)
			}
			s[m.Key()] = value
			h.Done(m)
		}
	}
	// It has counted a minute of its own, which is not stored, before the store could be read.
	delete(s, fmt.Sprint(start.Unix()/60+minutes-1))
	again := New(Sample{At: start.Add((minutes - 1) * time.Minute)})
	again.Add(Sample{At: start.Add(minutes * time.Minute)})
	if err := again.Load(func() error { s.load(again); return nil }); err != nil {
		t.Fatal(err)
	}
	for span, steps := range map[time.Duration]int{time.Hour: 60, 24 * time.Hour: 288, 7 * 24 * time.Hour: 336} {
		before, after := h.Last(t.Context(), span), again.Last(t.Context(), span)
		if i := last(t, after); i+1 != steps || !after.Known[i] || !after.Known[0] {
			t.Errorf("%v: %d steps, known %v to %v", span, i+1, after.Known[0], after.Known[i])
		}
		if fmt.Sprint(before) == "" || !after.Since.Equal(before.Since) || after.Total.Success[1] != before.Total.Success[1] {
			t.Errorf("%v: before %v %v, after %v %v", span, before.Since, before.Total.Success[1], after.Since, after.Total.Success[1])
		}
	}
	week := again.Last(t.Context(), 7*24*time.Hour)
	// Half of the calls took a millisecond, and half a minute: the mean of percentiles would lie between.
	if p50, p99 := week.Total.P50[1], week.Total.P99[1]; p50 == nil || *p50 > 1.1 || *p99 < 50_000 || week.Total.P50[335] != nil {
		t.Errorf("the percentiles are %v and %v", p50, p99)
	}
	if n := len(again.kept.known) + len(again.kept.fine) + len(again.kept.coarse); n > single+fineSteps+coarseSteps {
		t.Errorf("%d steps are kept", n)
	}
}

// TestBounds: a minute has a bounded number of pools and bytes, and one of a wrong clock is not
// taken.
func TestBounds(t *testing.T) {
	huge := func(n int) latency.Counts {
		c := make(latency.Counts, 21)
		for i := range c {
			c[i] = uint64(n) * 1_000_000
		}
		return c
	}
	pools := func(n int) map[string]Pool {
		all := map[string]Pool{}
		for i := range 200 {
			backlog := int64(1_000_000_000)
			all[fmt.Sprintf("p%063d", i)] = Pool{Backlog: &backlog, Workers: []Worker{{
				ID: "w", Since: start, Busy: 10_000, Slots: 10_000, Succeeded: uint64(n * (i + 1) * 1_000_000), Times: huge(n),
			}}}
		}
		return all
	}
	h := New(Sample{At: at(0), Pools: pools(0)})
	for n := 1; n <= 6; n++ {
		h.Add(Sample{At: at(n), Pools: pools(n)})
	}
	due := h.Due()
	if len(due) != 1 || len(due[0].Pools) != MaxPools {
		t.Fatalf("%d minutes are due", len(due))
	}
	value, err := due[0].Encode()
	if err != nil || len(value) > 8<<10 {
		t.Errorf("a minute has %d bytes: %v", len(value), err)
	}
	if _, ok := due[0].Pools[fmt.Sprintf("p%063d", 199)]; !ok || due[0].Total.Succeeded != 6*1_000_000*200*201/2 {
		t.Errorf("the pool with the most calls is there: %v; in all %d calls", ok, due[0].Total.Succeeded)
	}
	future := due[0]
	future.Number += 600
	h.Stored(future)
	h.Add(Sample{At: at(7)})
	if m := h.Last(t.Context(), time.Hour); !m.Known[59] || !m.Known[58] || m.Known[57] || len(m.Pools) != MaxPools {
		t.Errorf("after a minute from the future: %v, %d pools", m.Known[57:], len(m.Pools))
	}
	for key, value := range map[string]string{"x": `{"w":1}`, "1": `{`, "2": `{"w":0}`} {
		if m, ok := Decode(key, []byte(value)); ok {
			t.Errorf("%s %s is taken as %+v", key, value, m)
		}
	}
	for n := 8; n < 8+6*(maxDue+5); n++ {
		h.Add(Sample{At: at(n)})
	}
	if n := len(h.Due()); n != maxDue {
		t.Errorf("%d minutes wait while the store does not answer, want %d", n, maxDue)
	}
}
