package bench

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/client"
)

// sign is an observed event of a call: its verdict, or its start.
type sign struct {
	subject string
	at      time.Time
}

var eventStarted = []byte(`"type":"started"`)

// oneByOne grants calls one after the other, and times the interval from the decision
// to the start of the tool as seen on NATS.
func oneByOne(ctx context.Context, url string, c *client.Client, calls []waitingCall, s *Sheet) error {
	nc, err := nats.Connect(url)
	if err != nil {
		return err
	}
	defer nc.Close()
	signs := make(chan sign, 1024)
	hear := func(msg *nats.Msg) { signs <- sign{msg.Subject, time.Now()} }
	for subject, each := range map[string]nats.MsgHandler{
		"helve.v1.default.verdict.*.*": hear,
		"helve.v1.default.event.>": func(msg *nats.Msg) {
			if bytes.Contains(msg.Data, eventStarted) {
				hear(msg)
			}
		},
	} {
		if _, err := nc.Subscribe(subject, each); err != nil {
			return err
		}
	}
	if err := nc.Flush(); err != nil {
		return err
	}
	var answer, published, started histogram
	for _, w := range calls {
		asked := time.Now()
		if err := grant(ctx, c, w); err != nil {
			return err
		}
		answer.add(time.Since(asked))
		decided, began, err := w.listen(ctx, signs)
		if err != nil {
			return err
		}
		published.add(began.Sub(decided))
		started.add(began.Sub(asked))
	}
	s.put("decision_answer_p50_us", answer.quantile(0.50), "decision asked to answered, median")
	s.put("decision_answer_p99_us", answer.quantile(0.99), "")
	s.put("decision_to_started_p50_us", published.quantile(0.50), "decision published to the tool's started event, median")
	s.put("decision_to_started_p99_us", published.quantile(0.99), "")
	s.put("asked_to_started_p50_us", started.quantile(0.50), "decision asked to the tool's started event, median")
	s.put("asked_to_started_p99_us", started.quantile(0.99), "")
	return nil
}

// listen waits until it received the verdict and the start of a call.
func (w waitingCall) listen(ctx context.Context, signs <-chan sign) (decided, started time.Time, err error) {
	late := time.NewTimer(answerTimeout)
	defer late.Stop()
	for decided.IsZero() || started.IsZero() {
		select {
		case got := <-signs:
			switch {
			case strings.Contains(got.subject, ".verdict.") && strings.HasSuffix(got.subject, "."+w.consent):
				decided = got.at
			case strings.HasSuffix(got.subject, "."+w.call):
				started = got.at
			}
		case <-late.C:
			return decided, started, fmt.Errorf("call %s did not start within %v of its grant", w.call, answerTimeout)
		case <-ctx.Done():
			return decided, started, context.Cause(ctx)
		}
	}
	return decided, started, nil
}
