package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
)

// replayed answers every request with the next events of a journal, ready as JSON.
type replayed struct {
	answers []json.RawMessage
	next    int
}

func (r *replayed) Do(_ context.Context, _ js.Op, _ json.RawMessage) (json.RawMessage, error) {
	if r.next == len(r.answers) { // the request of the end
		r.next = 0
		return json.RawMessage(`{"events":[]}`), nil
	}
	r.next++
	return r.answers[r.next-1], nil
}

// journal returns the answers of a replay of that many events, batch in each.
func journal(b *testing.B, events, batch int) *replayed {
	r := &replayed{}
	for n := 1; n <= events; n += batch {
		answer := js.NextAnswer{Replay: true}
		for i := range batch {
			answer.Events = append(answer.Events, js.Event{Step: n + i, Value: json.RawMessage(`{"text":"a result","n":1}`), NowMS: int64(n)})
		}
		raw, err := json.Marshal(answer)
		if err != nil {
			b.Fatal(err)
		}
		r.answers = append(r.answers, raw)
	}
	return r
}

// BenchmarkReplay measures a run whose steps all come from the journal, from start to end.
func BenchmarkReplay(b *testing.B) {
	for _, bb := range []struct{ events, batch int }{{1000, 1000}, {1000, 50}, {1000, 1}, {100, 100}, {1, 1}} {
		b.Run(fmt.Sprintf("%d events by %d", bb.events, bb.batch), func(b *testing.B) {
			p := newPool(b, sandbox.Options{Durable: true})
			code := fmt.Sprintf("let n = 0; for (let i = 0; i < %d; i++) n += (await tools.echo({i, text: 'some text'})).n; return n", bb.events)
			j := program(code, journal(b, bb.events, bb.batch))
			j.Replays = true
			for b.Loop() {
				if got, err := p.Run(b.Context(), j); err != nil || string(got) != fmt.Sprint(bb.events) {
					b.Fatal(string(got), err)
				}
			}
		})
	}
}

// BenchmarkNext measures one step of a running program: a request of the child and its answer.
func BenchmarkNext(b *testing.B) {
	p := newPool(b, sandbox.Options{Durable: true})
	for b.Loop() { // a thousand steps at a time, which is divided below
		j := program("let n = 0; for (let i = 0; i < 1000; i++) n += (await tools.echo({i})).n; return n", journal(b, 1000, 1))
		if _, err := p.Run(b.Context(), j); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/step")
}
