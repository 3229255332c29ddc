package vectorsearch

import (
	"context"
	"strings"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/tool"
)

type embeddingArgs struct {
	Text       string   `json:"text,omitempty" doc:"A text."`
	Texts      []string `json:"texts,omitempty" doc:"Several texts in place of text, at most 100."`
	Model      string   `json:"model,omitempty" doc:"The model; that of the service if it is left out, else text-embedding-3-small." enum:"text-embedding-3-small,text-embedding-3-large,text-embedding-ada-002"`
	Dimensions *int     `json:"dimensions,omitempty" doc:"Numbers of each vector, where the model can make vectors of several lengths."`
}

type embeddingResult struct {
	Model      string      `json:"model"`
	Dimensions int         `json:"dimensions"`
	Count      int         `json:"count"`
	Embeddings [][]float32 `json:"embeddings" doc:"A vector for each text, in their order."`
}

var _ = tool.Add(Set, tool.Spec[embeddingArgs, *embeddingResult]{
	Name:         "create_embedding",
	Description:  "Make vectors of texts with the embedding service, to compare them by meaning, and return the numbers.",
	Tags:         []string{"embedding", "vector", "encode", "semantic"},
	Example:      `{"text":"The quick brown fox"}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	OpenWorld:    true,
	Scopes:       tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:        outside,
	Errors:       []tool.Kind{tool.NotConfigured, tool.NetworkError, tool.ExecutionError},
	Timeout:      timeout,
	Run:          createEmbedding,
})

func createEmbedding(ctx context.Context, call *tool.Call, args embeddingArgs) (*embeddingResult, error) {
	texts := args.Texts
	if args.Text != "" {
		texts = append([]string{args.Text}, texts...)
	}
	if (args.Text != "") == (len(args.Texts) > 0) || len(texts) > openai.MaxTexts {
		return nil, tool.Fail(tool.ValidationError, "give either text, or texts with 1 to %d texts", openai.MaxTexts)
	}
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			return nil, tool.Fail(tool.ValidationError, "text %d is blank (counted from 0)", i)
		}
	}
	dimensions := 0
	if args.Dimensions != nil {
		if dimensions = *args.Dimensions; dimensions < 1 || dimensions > maxDimensions {
			return nil, tool.Fail(tool.ValidationError, "dimensions is %d; a vector has 1 to %d numbers", dimensions, maxDimensions)
		}
	}
	client, err := openai.Open(ctx, call, "to make vectors of texts (create_embedding)")
	if err != nil {
		return nil, err
	}
	got, err := client.Embed(ctx, args.Model, dimensions, texts)
	if err != nil {
		return nil, err
	}
	return &embeddingResult{got.Model, len(got.Vectors[0]), len(got.Vectors), got.Vectors}, nil
}
