package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

const (
	// same is the least cosine of two contents that are the same memory.
	same = 0.95
	// related is the least cosine of a query and a memory that it finds.
	related = 0.3
	// maxVectors is the number of vectors from which a call reads no further page.
	maxVectors = 5000
	// maxEmbedded bounds the characters of a content that its vector stands for.
	maxEmbedded = 6000
	// embedTime is the time that the service has for vectors. After that words are enough.
	embedTime = 10 * time.Second
)

// vector is the meaning of a memory in the store, apart from the memory, so that vectors
// are read without contents.
type vector struct {
	MemoryID string `json:"memoryId" store:"index"`
	Model    string `json:"model"`
	Vector   []byte `json:"vector"`
}

var vectors = tool.NewCollection[vector]("memory_vectors")

// meanings are the vectors of some texts, and those of the stored memories.
type meanings struct {
	model string
	texts [][]byte
	known []vector
}

// meaningsOf returns the meanings of texts; nil if no service for embeddings is configured.
// If it fails that is noted, and words alone count.
func meaningsOf(ctx context.Context, call *tool.Call, texts []string) (*meanings, error) {
	client, err := openai.Open(ctx, call, "to compare memories by meaning")
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotConfigured {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	cut := make([]string, len(texts))
	for i, text := range texts {
		cut[i] = textcut.First(text, maxEmbedded)
	}
	limited, cancel := context.WithTimeout(ctx, embedTime)
	defer cancel()
	got, err := client.Embed(limited, "", 0, cut)
	if err != nil {
		call.Note("Memories were compared by their words alone, because the service for embeddings failed: %s.", tool.AsError(err).Msg)
		return nil, ctx.Err()
	}
	m := &meanings{model: got.Model}
	for _, v := range got.Vectors {
		m.texts = append(m.texts, quantized(v))
	}
	m.known, err = knownVectors(ctx, call, m.model)
	return m, err
}

// near returns the ids of the memories whose cosine with a text is at least some value, the
// nearest first, at most some.
func (m *meanings) near(text []byte, least float64, most int) []string {
	type candidate struct {
		id     string
		cosine float64
	}
	var list []candidate
	for _, v := range m.known {
		if c := cosine(text, v.Vector); c >= least {
			list = append(list, candidate{v.MemoryID, c})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.cosine, a.cosine) })
	var ids []string
	for _, c := range list[:min(len(list), most)] {
		ids = append(ids, c.id)
	}
	return ids
}

// add stores the vector of a memory that has none.
func (m *meanings) add(ctx context.Context, s tool.Store, id string, text []byte) error {
	if text == nil || slices.ContainsFunc(m.known, func(v vector) bool { return v.MemoryID == id }) {
		return nil
	}
	v := vector{MemoryID: id, Model: m.model, Vector: text}
	m.known = append(m.known, v)
	_, err := vectors.Insert(ctx, s, v)
	return err
}

// dropVectors deletes the vectors of a memory.
func dropVectors(ctx context.Context, s tool.Store, id string) error {
	found, err := vectors.Query(ctx, s, tool.Query{Where: []tool.Condition{tool.Where("memoryId", tool.Equal, id)}})
	if err != nil {
		return err
	}
	for _, r := range found.List {
		if err := vectors.Delete(ctx, s, r); err != nil {
			return err
		}
	}
	return nil
}
