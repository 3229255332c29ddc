package vectorsearch

import (
	"context"
	"strings"

	"github.com/helve-dev/helve/internal/lib/vector"
	"github.com/helve-dev/helve/tool"
)

type similarityArgs struct {
	Text1   string    `json:"text1,omitempty" doc:"A text; give text2, too."`
	Text2   string    `json:"text2,omitempty" doc:"The other text."`
	Vector1 []float64 `json:"vector1,omitempty" doc:"A vector in place of the texts; give vector2, too."`
	Vector2 []float64 `json:"vector2,omitempty" doc:"The other vector, of the same length."`
	Metric  string    `json:"metric,omitempty" doc:"How they are compared." enum:"cosine,euclidean,dotproduct" default:"cosine"`
}

type similarityResult struct {
	Similarity float64 `json:"similarity" doc:"The cosine, the dot product, or 1/(1+distance)."`
	Metric     string  `json:"metric"`
	Dimensions int     `json:"dimensions"`
}

var _ = tool.Add(Set, tool.Spec[similarityArgs, *similarityResult]{
	Name:         "similarity_score",
	Description:  "Compare two texts in meaning, or two vectors, and return how similar they are as a number.",
	Tags:         []string{"similarity score", "compare", "proximity"},
	Example:      `{"vector1":[3,4],"vector2":[4,3]}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	OpenWorld:    true,
	Scopes:       tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:        outside,
	Errors:       []tool.Kind{tool.NotConfigured, tool.NetworkError, tool.ExecutionError},
	Timeout:      timeout,
	Run:          similarityScore,
})

func similarityScore(ctx context.Context, call *tool.Call, args similarityArgs) (*similarityResult, error) {
	metric := vector.Metric(args.Metric)
	if metric == "" {
		metric = vector.Cosine
	}
	a, b, err := args.vectors(ctx, call)
	if err != nil {
		return nil, err
	}
	if err := (stored{Metric: metric}).fits("the first vector", a); err != nil {
		return nil, err
	}
	if err := (stored{Metric: metric, Dimensions: len(a), Name: "of one comparison"}).fits("vector2", b); err != nil {
		if len(a) != len(b) {
			return nil, tool.Fail(tool.ValidationError, "vector1 has %d numbers and vector2 has %d; they must have the same length", len(a), len(b))
		}
		return nil, err
	}
	return &similarityResult{metric.Score(a, b), string(metric), len(a)}, nil
}

// vectors returns what is compared.
func (args similarityArgs) vectors(ctx context.Context, call *tool.Call) (a, b []float32, err error) {
	texts := strings.TrimSpace(args.Text1) != "" && strings.TrimSpace(args.Text2) != ""
	numbers := len(args.Vector1) > 0 && len(args.Vector2) > 0
	if texts == numbers {
		return nil, nil, tool.Fail(tool.ValidationError, "give either text1 and text2, or vector1 and vector2")
	}
	if texts {
		vectors, _, err := embed(ctx, call, 0, []string{args.Text1, args.Text2})
		if err != nil {
			return nil, nil, err
		}
		return vectors[0], vectors[1], nil
	}
	if a, err = narrow("vector1", args.Vector1); err != nil {
		return nil, nil, err
	}
	b, err = narrow("vector2", args.Vector2)
	return a, b, err
}
