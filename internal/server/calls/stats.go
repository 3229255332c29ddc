package calls

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// statsPages bounds the pages of records that are read for statistics: 2,000 records, which
// take less than 0.2 s.
const statsPages = 2

// Stats counts the records of calls that ended, the newest first, as far as the trail has them.
func Stats(ctx context.Context, q api.ToolQuery, t Records) (protocol.ToolStats, error) {
	stats := protocol.ToolStats{From: q.From, To: q.To}
	records := audit.Query{
		Tenant: q.Tenant, Tool: q.Tool, Phase: string(protocol.AuditFinished), From: q.From, To: q.To, Limit: audit.MaxLimit, Newest: true,
	}
	c := counter{from: q.From, to: q.To, tools: map[string]*counted{}}
	for range statsPages {
		page, err := t.Query(ctx, records)
		if err != nil {
			return stats, err
		}
		for i := range page.Records {
			c.add(&page.Records[i])
		}
		if len(page.Records) < audit.MaxLimit {
			stats.Complete = true
			break
		}
		oldest := page.Records[0] // a page is in the order of the trail
		records.Before = audit.Place{Seq: oldest.Seq, Part: oldest.Part}
	}
	stats.Records, stats.Tools = c.records, c.list()
	if c.records > 0 {
		stats.Oldest = &c.oldest.Time
	}
	return stats, nil
}

// counter counts the records of calls by tool.
type counter struct {
	from, to time.Time
	tools    map[string]*counted
	records  int
	oldest   protocol.AuditRecord
}

type counted struct {
	protocol.ToolStat

	times []float64
}

func (c *counter) add(r *protocol.AuditRecord) {
	if c.records++; c.records == 1 || r.Time.Before(c.oldest.Time) {
		c.oldest = *r
	}
	t := c.tools[r.Tool]
	if t == nil {
		t = &counted{ToolStat: protocol.ToolStat{
			Tool: r.Tool, ErrorTypes: map[string]int{}, CallsOver: make([]int, protocol.ToolSteps), ErrorsOver: make([]int, protocol.ToolSteps),
		}}
		c.tools[r.Tool] = t
	}
	step := c.step(r.Time)
	t.Calls++
	t.CallsOver[step]++
	if r.Result != nil && r.Result.Status == protocol.StatusError {
		t.Errors++
		t.ErrorsOver[step]++
		t.ErrorTypes[r.Result.ErrorType]++
	}
	if r.DurationMS > 0 {
		t.times = append(t.times, r.DurationMS)
	}
	if at := *cmp.Or(r.EndedAt, &r.Time); at.After(t.Last) {
		t.Last = at
	}
}

// step returns the step that a time lies in.
func (c *counter) step(at time.Time) int {
	if !c.from.Before(c.to) {
		return 0
	}
	return min(max(int(protocol.ToolSteps*at.Sub(c.from)/c.to.Sub(c.from)), 0), protocol.ToolSteps-1)
}

// list returns the tools, those with the most calls first.
func (c *counter) list() []protocol.ToolStat {
	list := []protocol.ToolStat{}
	for _, t := range c.tools {
		slices.Sort(t.times)
		t.P50, t.P99 = quantile(t.times, 50), quantile(t.times, 99)
		list = append(list, t.ToolStat)
	}
	slices.SortFunc(list, func(a, b protocol.ToolStat) int { return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Tool, b.Tool)) })
	return list
}

// quantile returns the value that so many percent of the sorted values do not exceed.
func quantile(sorted []float64, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*percent+99)/100-1]
}
