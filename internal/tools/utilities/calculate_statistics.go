package utilities

import (
	"time"

	"github.com/helve-dev/helve/internal/lib/sample"
	"github.com/helve-dev/helve/tool"
)

var _ = tool.Add(Set, tool.Spec[statisticsArgs, *sample.Summary]{
	Name: "calculate_statistics",
	Description: "Summarise a series of numbers by its mean, median, mode, spread and quartiles, the same measures as statistics; " +
		"returns them all at once.",
	Tags:       []string{"statistics", "average", "mean", "median", "mode", "std", "sum", "numbers", "summary"},
	Group:      "mathStats",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"numbers": "3, 5, 5, 8"}`,
	Timeout:    10 * time.Second,
	Run:        statistics,
})
