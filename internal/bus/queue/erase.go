package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// Erased counts the results that were removed of a person.
type Erased struct {
	Results int
	// Shared are groups with results of others too, which stay until they expire.
	Shared int
}

// Last returns the place of the newest result.
func (b *Results) Last(ctx context.Context) (uint64, error) {
	stream, err := b.conn.JetStream().Stream(ctx, streams.Results)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	return stream.CachedInfo().State.LastSeq, nil
}

// Erase removes the results of a person's calls up to a place, and the large values of
// their arguments and results. The caller must know that the records of these results are
// on the trail. Calls without a user are those of the person "_".
func (b *Results) Erase(ctx context.Context, tenant, person string, last uint64) (done Erased, err error) {
	calls := map[string]bool{}
	var subjects []string
	w := natsio.Walk{Conn: b.conn, Stream: streams.Results, Filter: b.subj.Of(tenant, "result", ">"), Next: 1, Batch: 1000, Headers: true}
	end := errors.New("the end")
	w.Each = func(msg *nats.Msg, meta *nats.MsgMetadata) error {
		if meta.Sequence.Stream > last {
			return end
		}
		own, others := callsOf(msg, person)
		for _, id := range own {
			calls[id] = true
		}
		switch {
		case len(own) > 0 && others:
			done.Shared++
		case len(own) > 0:
			done.Results += len(own)
			subjects = append(subjects, msg.Subject)
		}
		return nil
	}
	if err := w.Run(ctx); err != nil && !errors.Is(err, end) {
		return Erased{}, err
	}
	if err := b.eraseObjects(ctx, tenant, calls); err != nil {
		return Erased{}, err
	}
	return done, natsio.Purge(ctx, b.conn, streams.Results, subjects...)
}

// callsOf returns the calls of a person among the records of a result, and whether there
// are others.
func callsOf(msg *nats.Msg, person string) (own []string, others bool) {
	for _, line := range SplitRecords(msg.Header.Get(HeaderRecord)) {
		var r struct {
			CallID string `json:"call_id"`
			User   string `json:"user"`
		}
		if json.Unmarshal(line, &r) != nil || cmp.Or(r.User, nobody) != person {
			others = true
			continue
		}
		own = append(own, r.CallID)
	}
	return own, others
}

// nobody is the person of calls without a user.
const nobody = "_"

// eraseObjects removes the large arguments and results of calls.
func (b *Results) eraseObjects(ctx context.Context, tenant string, calls map[string]bool) error {
	for _, objects := range []*natsio.Objects{b.store.CallData(), b.store.ResultData()} {
		names, err := objects.Names(ctx)
		if err != nil {
			return err
		}
		for _, name := range names {
			words := strings.Split(name, "/")
			if len(words) < 2 || words[0] != tenant || !calls[words[1]] {
				continue
			}
			if err := objects.Erase(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}
