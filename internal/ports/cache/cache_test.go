package cache

import (
	"fmt"
	"sync"
	"testing"
)

func made(v any) func() any { return func() any { return v } }

func TestLoad(t *testing.T) {
	c := New(1 << 20)
	ann := c.For("acme", "ann")
	if got := ann.Load("k", made(1)); got != 1 {
		t.Errorf("Load = %v", got)
	}
	if got := ann.Load("k", made(2)); got != 1 {
		t.Errorf("a second Load = %v, want the first value", got)
	}
	for _, other := range [][2]string{{"acme", "bob"}, {"other", "ann"}, {"acmeann", ""}} {
		if got := c.For(other[0], other[1]).Load("k", made(3)); got != 3 {
			t.Errorf("%s sees %v of ann", other, got)
		}
	}
}

// TestBound: the values that were not used for longest are dropped, and a value that does
// not fit at all.
func TestBound(t *testing.T) {
	c := New(10 * entrySize)
	ann := c.For("acme", "ann")
	load := func(name string, v int) any { return ann.Load(name, made(v)) }
	load("a", 1)
	load("b", 1)
	if !ann.Size("a", 1, 5*entrySize) || !ann.Size("b", 1, entrySize) {
		t.Fatal("values that fit were dropped")
	}
	load("a", 2) // now b was not used for longer
	load("c", 1)
	if !ann.Size("c", 1, 2*entrySize) {
		t.Error("a value that fits after another was dropped has no room")
	}
	if got := fmt.Sprint(load("a", 2), load("c", 2), load("b", 2)); got != "1 1 2" {
		t.Errorf("a, c, b = %s, want b dropped", got)
	}
	if ann.Size("a", 1, 10*entrySize) || load("a", 3) != 3 {
		t.Error("a value larger than the cache stays")
	}
	if ann.Size("none", 1, 1) || ann.Size("b", "another value", 1) {
		t.Error("Size returns true for a value that is not there")
	}
	if c.bytes > c.most {
		t.Errorf("%d bytes, want at most %d", c.bytes, c.most)
	}
}

func TestConcurrent(t *testing.T) {
	c := New(20 * entrySize)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			mine := c.For("acme", fmt.Sprint(w%2))
			for i := range 1000 {
				name := fmt.Sprint(i % 7)
				v := mine.Load(name, made(new(int)))
				mine.Size(name, v, int64(i%9)*entrySize)
			}
		})
	}
	wg.Wait()
	var sum int64
	for e := c.order.Front(); e != nil; e = e.Next() {
		sum += e.Value.(*entry).bytes
	}
	if sum != c.bytes || sum > c.most || len(c.entries) != c.order.Len() {
		t.Errorf("%d bytes are counted, %d are there, of at most %d", c.bytes, sum, c.most)
	}
}
