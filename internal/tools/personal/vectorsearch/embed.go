package vectorsearch

import (
	"context"
	"strings"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/tool"
)

// embed returns the vectors of texts and the model that made them. Dimensions, if not 0, are
// requested from models that can be asked for a length.
func embed(ctx context.Context, call *tool.Call, dimensions int, texts []string) ([][]float32, string, error) {
	client, err := openai.Open(ctx, call, "to make vectors of texts; vectors that the caller gives need no service")
	if err != nil {
		return nil, "", err
	}
	if !strings.HasPrefix(client.EmbeddingModel(), "text-embedding-3") {
		dimensions = 0
	}
	got, err := client.Embed(ctx, "", dimensions, texts)
	if err != nil {
		return nil, "", err
	}
	return got.Vectors, got.Model, nil
}
