package storm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// report is a dispatcher's report of the audit trail.
type report struct {
	OK       bool              `json:"ok"`
	SealedTo uint64            `json:"sealed_to"`
	Problems []json.RawMessage `json:"problems"`
	Found    int               `json:"problem_count"`
}

// verifyTimeout limits one verification of a whole trail.
const verifyTimeout = 2 * time.Minute

// seals waits until the trail is sealed up to its last message, at most recordsTimeout, and
// counts the problems that a dispatcher finds in the chain of seals.
func (l *load) seals(ctx context.Context, s *streams, r *Report) error {
	stream, err := s.of(ctx, anyRecord)
	if err != nil {
		return err
	}
	last := stream.CachedInfo().State.LastSeq
	client := asker{http.Client{Timeout: verifyTimeout}}
	for try, end := 0, time.Now().Add(recordsTimeout); ; try++ {
		var got report
		status, text := client.send(ctx, http.MethodGet, l.fleet.door(try)+"/v1/audit/verify", nil)
		answered := status == http.StatusOK && json.Unmarshal(text, &got) == nil
		if answered && (got.SealedTo >= last || !got.OK) || time.Now().After(end) {
			if !answered {
				return fmt.Errorf("the audit trail cannot be verified: %d %s", status, text)
			}
			r.sealed(got, last)
			return nil
		}
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
	}
}

// sealed counts the problems of a trail whose last message has that place.
func (r *Report) sealed(got report, last uint64) {
	r.Sealed = got.SealedTo
	if !got.OK {
		r.Seals += max(got.Found, 1)
		r.samplef("the audit trail has %d problems: %s", got.Found, got.Problems)
	}
	if got.SealedTo < last {
		r.Seals++
		r.samplef("the audit trail is sealed up to %d of %d messages", got.SealedTo, last)
	}
}
