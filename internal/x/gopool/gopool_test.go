package gopool

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestGoRunsEveryFunctionOnce(t *testing.T) {
	var p Pool
	defer p.Close()
	var ran atomic.Int64
	var all sync.WaitGroup
	const want = 20_000
	for range 4 {
		all.Go(func() {
			var mine sync.WaitGroup
			for range want / 4 {
				mine.Add(1)
				p.Go(func() { ran.Add(1); mine.Done() })
			}
			mine.Wait()
		})
	}
	all.Wait()
	if got := ran.Load(); got != want {
		t.Errorf("%d functions ran, want %d", got, want)
	}
}

func TestGoNeverWaitsForAnIdleGoroutine(t *testing.T) {
	var p Pool
	defer p.Close()
	block := make(chan struct{})
	var all sync.WaitGroup
	for range maxIdle + 100 {
		all.Add(1)
		p.Go(func() { <-block; all.Done() })
	}
	done := make(chan struct{})
	p.Go(func() { close(done) })
	<-done // a pool that queued behind the blocked ones would hang here
	close(block)
	all.Wait()
}

func TestGoexitLosesOnlyItsOwnGoroutine(t *testing.T) {
	var p Pool
	defer p.Close()
	gone := make(chan struct{})
	p.Go(func() { defer close(gone); runtime.Goexit() })
	<-gone
	done := make(chan struct{})
	p.Go(func() { close(done) })
	<-done
}

// TestPanics: a panic ends its own function, and reaches the owner of the goroutine.
func TestPanics(t *testing.T) {
	got := make(chan *Panic, 2)
	p := Pool{Panicked: func(v *Panic) { got <- v }}
	defer p.Close()
	p.Go(func() { panic("of a pool") })
	if v := <-got; v.Value != "of a pool" || !strings.Contains(v.Error(), "gopool_test.go") {
		t.Errorf("the pool reported %v", v)
	}
	Go(func() { panic("of a goroutine") }, p.Panicked)
	if v := <-got; v.Value != "of a goroutine" {
		t.Errorf("Go reported %v", v)
	}
	err := Catch(func() error {
		var g Group
		g.Go(func() { panic("of a group") })
		g.Go(func() {})
		g.Wait()
		return nil
	})
	if v, ok := errors.AsType[*Panic](err); !ok || v.Value != "of a group" || !strings.Contains(v.Error(), "gopool_test.go") {
		t.Errorf("Catch of a group = %v", err)
	}
	if err := Catch(func() error { return io.EOF }); !errors.Is(err, io.EOF) {
		t.Errorf("Catch of an error = %v", err)
	}
}

func TestCloseLetsWorkFinish(t *testing.T) {
	var p Pool
	release, done := make(chan struct{}), make(chan struct{})
	p.Go(func() { <-release; close(done) })
	p.Close()
	close(release)
	<-done
	again := make(chan struct{})
	p.Go(func() { close(again) })
	<-again
}

func BenchmarkGo(b *testing.B) {
	var p Pool
	defer p.Close()
	done := make(chan struct{})
	f := func() { done <- struct{}{} }
	for b.Loop() {
		p.Go(f)
		<-done
	}
}
