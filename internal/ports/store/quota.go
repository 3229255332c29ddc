package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// overfull returns the error of a commit that would bring the person over the bounds. It
// names the collections that hold most.
func (u *Unit) overfull(ctx context.Context, c *commit) error {
	var largest []string
	err := u.s.db.rows(ctx, u.person, func(scan func(...any) error) error {
		var collection string
		var n, bytes int64
		if err := scan(&collection, &n, &bytes); err != nil {
			return err
		}
		largest = append(largest, fmt.Sprintf("%s (%d items, %d bytes)", collection, n, bytes))
		return nil
	}, `SELECT collection, count(*), sum(size) FROM store_row WHERE tenant = ? AND person = ? GROUP BY collection ORDER BY 3 DESC LIMIT 3`,
		u.person.tenant, u.person.name)
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
