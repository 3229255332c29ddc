package utilities

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCalculatePercentage(t *testing.T) {
	tooltest.Run(t, Set, "calculate_percentage", tool.Call{}, []tooltest.Case{
		{
			Name: "of",
			Args: `{"value":80,"percentage":15}`,
			Want: `{"operation":"percent_of","result":12,"increased":92,"decreased":68,"formatted":"15% of 80 is 12"}`,
		},
		{
			Name: "no dust",
			Args: `{"value":19.99,"percentage":8.25}`,
			Want: `{"operation":"percent_of","result":1.6492,"increased":21.6392,"decreased":18.3408,"formatted":"8.25% of 19.99 is 1.6492"}`,
		},
		{
			Name: "precision of a share",
			Args: `{"value":1,"total":3,"precision":2}`,
			Want: `{"operation":"what_percent","result":33.33,"formatted":"1 is 33.33% of 3"}`,
		},
		{
			Name: "precision of a change",
			Args: `{"value":3,"newValue":4,"precision":6}`,
			Want: `{"operation":"percent_change","result":33.333333,"formatted":"from 3 to 4 is +33.333333%"}`,
		},
		{
			Name: "precision",
			Args: `{"value":19.99,"percentage":8.25,"precision":2}`,
			Want: `{"operation":"percent_of","result":1.65,"increased":21.64,"decreased":18.34,"formatted":"8.25% of 19.99 is 1.65"}`,
		},
		{
			Name: "nothing",
			Args: `{"value":0,"percentage":15}`,
			Want: `{"operation":"percent_of","result":0,"increased":0,"decreased":0,"formatted":"15% of 0 is 0"}`,
		},
		{Name: "what", Args: `{"value":30,"total":1200}`, Want: `{"operation":"what_percent","result":2.5,"formatted":"30 is 2.5% of 1,200"}`},
		{Name: "a third", Args: `{"value":1,"total":3}`, Want: `{"operation":"what_percent","result":33.3333,"formatted":"1 is 33.3333% of 3"}`},
		{
			Name: "rise",
			Args: `{"value":80,"newValue":100}`,
			Want: `{"operation":"percent_change","result":25,"formatted":"from 80 to 100 is +25%"}`,
		},
		{
			Name: "fall",
			Args: `{"value":100,"newValue":80}`,
			Want: `{"operation":"percent_change","result":-20,"formatted":"from 100 to 80 is -20%"}`,
		},
		{
			Name: "from below zero",
			Args: `{"value":-10,"newValue":-5}`,
			Want: `{"operation":"percent_change","result":50,"formatted":"from -10 to -5 is +50%"}`,
		},
		{Name: "no total", Args: `{"value":1,"total":0}`, Fails: tool.ValidationError, Message: "total is 0"},
		{Name: "from nothing", Args: `{"value":0,"newValue":5}`, Fails: tool.ValidationError, Message: "value is 0"},
		{Name: "nothing asked", Args: `{"value":5}`, Fails: tool.ValidationError, Message: "exactly one"},
		{Name: "two asked", Args: `{"value":5,"percentage":1,"total":2}`, Fails: tool.ValidationError, Message: "exactly one"},
		{Name: "missing", Args: `{"percentage":5}`, Fails: tool.ValidationError, Message: "value"},
		{Name: "share too large", Args: `{"value":1e308,"percentage":1e10}`, Fails: tool.ValidationError, Message: "larger"},
		{Name: "percent too large", Args: `{"value":1e308,"total":1e-10}`, Fails: tool.ValidationError, Message: "larger"},
		{Name: "change too large", Args: `{"value":1e-10,"newValue":1e308}`, Fails: tool.ValidationError, Message: "larger"},
	})
}
