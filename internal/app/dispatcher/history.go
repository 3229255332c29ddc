package dispatcher

import (
	"fmt"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/fleet/history"
	"github.com/helve-dev/helve/internal/fleet/promhistory"
	"github.com/helve-dev/helve/internal/server/api"
)

// historyOf returns the history that the console shows: the stored one, or that of a Prometheus.
func historyOf(c config.ConsoleSection, kept *history.History, log *zap.Logger) (api.History, error) {
	if c.PrometheusURL == "" {
		return kept, nil
	}
	source, err := promhistory.New(promhistory.Options{URL: c.PrometheusURL, Match: c.PrometheusMatch, Stored: kept, Log: log})
	if err != nil {
		return nil, fmt.Errorf("console.prometheus_url: %w", err)
	}
	return source, nil
}
