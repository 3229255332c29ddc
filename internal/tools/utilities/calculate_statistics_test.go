package utilities

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCalculateStatistics(t *testing.T) {
	tooltest.Run(t, Set, "calculate_statistics", tool.Call{}, []tooltest.Case{
		{
			Name: "commas", Args: `{"numbers":"10, 20, 30"}`,
			Want: `{"count":3,"sum":60,"mean":20,"median":20,"mode":"no mode","variance":66.6667,"standardDeviation":8.165,"min":10,"max":30,"range":20,"quartiles":{"q1":15,"q2":20,"q3":25}}`,
		},
		{Name: "percentile", Args: `{"numbers":[1,2,3],"percentile":50}`, Check: hasField("requestedPercentile.value", "2")},
		{Name: "none", Args: `{"numbers":[]}`, Fails: tool.ValidationError, Message: "No valid numbers provided"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "numbers"},
	})
}
