package openai

import (
	"context"
	"math"
)

// EmbeddingModel is the model where neither the caller nor the service names one.
const EmbeddingModel = "text-embedding-3-small"

// MaxTexts is the most texts of one request.
const MaxTexts = 100

// Embeddings are the vectors of texts, in their order, all of one length.
type Embeddings struct {
	Model   string
	Vectors [][]float32
	Tokens  int // 0 if the endpoint does not report them
}

type embeddingRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitempty"`
	Format     string   `json:"encoding_format"`
}

type embeddingAnswer struct {
	Model string `json:"model"`
	Data  []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
	Usage struct {
		PromptTokens int `json:"prompt_tokens"`
	} `json:"usage"`
}

// EmbeddingModel returns the model that Embed uses unless its caller names one.
func (c *Client) EmbeddingModel() string { return c.Model("", "embedding_model", EmbeddingModel) }

// Embed returns the vectors of 1 to [MaxTexts] texts. Model and dimensions may be zero.
func (c *Client) Embed(ctx context.Context, model string, dimensions int, texts []string) (*Embeddings, error) {
	var answer embeddingAnswer
	model = c.Model(model, "embedding_model", EmbeddingModel)
	err := c.post(ctx, "embeddings", embeddingRequest{Model: model, Input: texts, Dimensions: dimensions, Format: "float"}, &answer)
	if err != nil {
		return nil, err
	}
	c.Spend(model, answer.Usage.PromptTokens, 0)
	got := &Embeddings{Model: model, Vectors: make([][]float32, len(texts)), Tokens: answer.Usage.PromptTokens}
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(texts) || got.Vectors[d.Index] != nil {
			return nil, c.Senseless("an index that was not requested")
		}
		got.Vectors[d.Index] = d.Embedding
	}
	for _, v := range got.Vectors {
		if len(v) == 0 || len(v) != len(got.Vectors[0]) || dimensions > 0 && len(v) != dimensions {
			return nil, c.Senseless("a vector is missing or has another length")
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, c.Senseless("a vector has a number that is not finite")
			}
		}
	}
	return got, nil
}
