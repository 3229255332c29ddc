package store

import (
	"context"
	"slices"
)

// Versions returns the kept versions of a tool with their code, the newest first. The bucket
// keeps some of a person's own tool, and each ends with the tool.
func (s *Store) Versions(ctx context.Context, of *Found) ([]Found, error) {
	var list []Found
	err := s.Bucket.History(ctx, of.Place.Key(), func(value []byte) {
		if e, p, err := Decode(of.Place.Key(), value); err == nil && e.Tool.ID == of.Tool.ID {
			list = append(list, Found{e, p, nil})
		}
	})
	slices.Reverse(list)
	return list, err
}
