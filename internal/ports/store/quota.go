package store

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// namedLargest is the number of collections that an error names.
const namedLargest = 3

// Amount is the number and the size of the items of a person in a collection.
type Amount struct {
	Collection   string
	Items, Bytes int64
}

// Amounts returns how much of a person is in each collection, at most limit, the largest first.
func (s *Store) Amounts(ctx context.Context, tenant, user string, limit int) (all []Amount, err error) {
	err = s.persist(ctx, func() error {
		all = nil
		return s.largest(ctx, person{tenant, cmp.Or(user, Nobody)}, func(c Amount) {
			if c.Collection != touched.Name { // orders calls, and is no data
				all = append(all, c)
			}
		}, limit)
	})
	return all, err
}

func (s *Store) largest(ctx context.Context, of person, each func(Amount), limit int) error {
	return s.db.rows(ctx, of, func(scan func(...any) error) error {
		var c Amount
		err := scan(&c.Collection, &c.Items, &c.Bytes)
		if err == nil {
			each(c)
		}
		return err
	}, `SELECT collection, count(*), sum(size) FROM store_row WHERE tenant = ? AND person = ? GROUP BY collection ORDER BY 3 DESC, 1 LIMIT `+
		itoa(limit), of.tenant, of.name)
}

// overfull returns the error of a commit that would bring the person over the bounds. It
// names the collections that hold most.
func (u *Unit) overfull(ctx context.Context, c *commit) error {
	var largest []string
	err := u.s.largest(ctx, u.person, func(c Amount) {
		largest = append(largest, fmt.Sprintf("%s (%d items, %d bytes)", c.Collection, c.Items, c.Bytes))
	}, namedLargest)
	what := "what is no longer needed"
	if err == nil && len(largest) > 0 {
		what += "; most is in " + strings.Join(largest, ", ")
	}
	var limits []string
	if n := c.bound.documents; n > 0 {
		limits = append(limits, fmt.Sprintf("%d items", n))
	}
	if n := c.bound.bytes; n > 0 {
		limits = append(limits, fmt.Sprintf("%d bytes", n))
	}
	return tool.Fail(tool.RateLimited, "nothing was stored: one person may store %s, and this would exceed it; delete %s",
		strings.Join(limits, " and "), what).Because(errFull)
}
