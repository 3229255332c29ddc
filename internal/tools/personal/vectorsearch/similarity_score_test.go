package vectorsearch

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestSimilarityScore(t *testing.T) {
	tooltest.Run(t, Set, "similarity_score", ann(t), []tooltest.Case{
		{Name: "cosine", Args: `{"vector1":[3,4],"vector2":[4,3]}`, Want: `{"similarity":0.96,"metric":"cosine","dimensions":2}`},
		{
			Name: "dot product",
			Args: `{"vector1":[3,4],"vector2":[4,3],"metric":"dotproduct"}`,
			Want: `{"similarity":24,"metric":"dotproduct","dimensions":2}`,
		},
		{
			Name: "euclidean",
			Args: `{"vector1":[0,0],"vector2":[3,0],"metric":"euclidean"}`,
			Want: `{"similarity":0.25,"metric":"euclidean","dimensions":2}`,
		},
		{
			Name:    "lengths",
			Args:    `{"vector1":[1],"vector2":[1,2]}`,
			Fails:   tool.ValidationError,
			Message: "vector1 has 1 numbers and vector2 has 2",
		},
		{Name: "zero", Args: `{"vector1":[1,1],"vector2":[0,0]}`, Fails: tool.ValidationError, Message: "vector2 is zero"},
		{Name: "one vector", Args: `{"vector1":[1,1]}`, Fails: tool.ValidationError, Message: "give either text1 and text2"},
		{Name: "one text", Args: `{"text1":"a"}`, Fails: tool.ValidationError, Message: "give either text1 and text2"},
		{Name: "too large", Args: `{"vector1":[1e39],"vector2":[1]}`, Fails: tool.ValidationError, Message: "vector1: a number is too large"},
		{Name: "metric", Args: `{"vector1":[1],"vector2":[1],"metric":"manhattan"}`, Fails: tool.ValidationError, Message: "metric"},
		{Name: "no service", Args: `{"text1":"a","text2":"b"}`, Fails: tool.NotConfigured, Message: `helve config set openai --stdin api_key`},
	})
	call := served(t, 4)
	if got := play[similarityResult](t, call, "similarity_score", `{"text1":"bread","text2":"bread"}`); got.Similarity < 0.9999 ||
		got.Dimensions != 4 {
		t.Errorf("the same text: %+v", got)
	}
	if got := play[similarityResult](t, call, "similarity_score", `{"text1":"bread","text2":"butter"}`); got.Similarity > 0.9999 {
		t.Errorf("other texts: %+v", got)
	}
}
