package api

import (
	"context"
	"strconv"
	"time"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// History keeps what the workers did in the last seven days.
type History interface {
	Last(ctx context.Context, span time.Duration) protocol.MetricsHistory
}

// ToolQuery selects calls of a tenant that ended. An empty tool selects all.
type ToolQuery struct {
	Tenant, Tool string
	From, To     time.Time
}

// ToolCounter counts calls by tool.
type ToolCounter interface {
	ToolStats(ctx context.Context, q ToolQuery) (protocol.ToolStats, error)
}

const (
	// maxMinutes bounds the minutes of metrics.history.
	maxMinutes = 60
	// statsSpan is the time of tools.stats if the request names none, and maxSpan bounds it.
	statsSpan = time.Hour
	maxSpan   = 31 * 24 * time.Hour
)

// historyRange returns the time that metrics.history goes back.
func historyRange(in Input) (time.Duration, error) {
	named, text := in.Params["range"], in.Params["minutes"]
	if named != "" && text != "" {
		return 0, BadRequest("range and minutes exclude each other; send one of them")
	}
	if text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxMinutes {
			return 0, BadRequest("minutes must be 1 to %d, but it is %.40q", maxMinutes, text)
		}
		return time.Duration(n) * time.Minute, nil
	}
	switch named {
	case "", "1h":
		return time.Hour, nil
	case "24h":
		return 24 * time.Hour, nil
	case "7d":
		return 7 * 24 * time.Hour, nil
	}
	return 0, BadRequest("range must be 1h, 24h or 7d, but it is %.40q", named)
}

func (s *Service) metricsHistory(ctx context.Context, in Input) (Reply, error) {
	if s.History == nil {
		return Reply{}, missing("history")
	}
	span, err := historyRange(in)
	if err != nil {
		return Reply{}, err
	}
	return answer(s.History.Last(ctx, span))
}

func (s *Service) toolStats(ctx context.Context, in Input) (Reply, error) {
	if s.Counter == nil {
		return Reply{}, missing("audit trail")
	}
	q := ToolQuery{Tenant: in.Tenant, Tool: in.Params["tool"]}
	if q.Tool != "" && !tool.ValidName(q.Tool) {
		return Reply{}, BadRequest("%.80q is not a tool's name", q.Tool)
	}
	now := time.Now().UTC()
	var err error
	if q.From, q.To, err = span(in.Params["from"], in.Params["to"], now); err != nil {
		return Reply{}, err
	}
	if q.To.IsZero() {
		q.To = now
	}
	if q.From.IsZero() {
		q.From = q.To.Add(-statsSpan)
	}
	if q.To.Sub(q.From) > maxSpan {
		return Reply{}, BadRequest("from is more than %d days before to; ask for less", int(maxSpan.Hours()/24))
	}
	stats, err := s.Counter.ToolStats(ctx, q)
	if err != nil {
		return Reply{}, cursorError(err)
	}
	return answer(stats)
}
