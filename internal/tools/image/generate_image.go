package image

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

type generateImageArgs struct {
	Prompt     string  `json:"prompt" min:"1" max:"4000" doc:"What the picture shows, in any language."`
	Style      string  `json:"style" enum:"realistic,artistic,cartoon,sketch,digital-art,3d-render,anime,photography" default:"realistic" doc:"Look of the picture; words for it are added to the prompt."`
	Size       string  `json:"size" enum:"256x256,512x512,1024x1024,1024x1792,1792x1024" default:"1024x1024" doc:"Width and height in pixels; a model that has other sizes makes the nearest."`
	Quality    string  `json:"quality" enum:"standard,hd" default:"standard" doc:"hd is finer and costs more."`
	OutputPath string  `json:"outputPath,omitempty" alias:"path" doc:"File to write, relative to the workspace; its extension (png, jpg, webp, gif, bmp) chooses the format. A name from the prompt by default. A file of that name is replaced; further pictures get names that begin with its stem."`
	N          float64 `json:"n" default:"1" doc:"Number of pictures, from 1 to 4."`
}

type generateImageResult struct {
	Files          []madeFile `json:"files"`
	Prompt         string     `json:"prompt" doc:"The prompt with the words for the style."`
	OriginalPrompt string     `json:"originalPrompt"`
	RevisedPrompt  string     `json:"revisedPrompt,omitempty" doc:"The prompt that the model made of it."`
	Style          string     `json:"style"`
	Size           string     `json:"size" doc:"The size that was asked for; files have their own."`
	Quality        string     `json:"quality"`
	Count          int        `json:"count"`
	Model          string     `json:"model"`
}

var _ = tool.Add(Set, tool.Spec[generateImageArgs, *generateImageResult]{
	Name: "generate_image",
	Description: "Make pictures from a description with an image model, which costs money, write them to the workspace and return their " +
		"paths and sizes.",
	Tags:       []string{"generate image", "dall-e", "ai art", "draw", "create image", "picture", "logo", "illustration", "paint"},
	Risk:       tool.Medium,
	Mutates:    true,
	Idempotent: false,
	OpenWorld:  true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Needs:      tool.NeedFiles | tool.NeedHTTP | tool.NeedSecrets,
	Errors:     []tool.Kind{tool.NotConfigured, tool.FileNotFound, tool.PathNotAllowed, tool.NetworkError, tool.ExecutionError},
	Example:    `{"prompt": "A red boat on a lake", "outputPath": "boat.png"}`,
	Timeout:    5 * time.Minute,
	Check: func(ctx context.Context, call *tool.Call, args generateImageArgs) error {
		if err := written(args.Prompt); err != nil {
			return err
		}
		if _, err := formatOf(args.OutputPath, ""); err != nil {
			return err
		}
		_, err := painters(ctx, call)
		return err
	},
	Changes: func(_ context.Context, _ *tool.Call, args generateImageArgs) ([]tool.Change, error) {
		return tool.Replaces(args.OutputPath), nil
	},
	Run: generateImage,
})

const toPaint = "to make pictures (generate_image)"

// order describes the pictures of a call.
type order struct{ prompt, size, quality string }

// painter has a provider make pictures: as many as it makes with one request, up to left.
type painter struct {
	name  string
	paint func(ctx context.Context, o order, left int) (*batch, error)
}

// painters returns the configured providers, in the order in which they are used.
func painters(ctx context.Context, call *tool.Call) ([]painter, error) {
	var all []painter
	ai, err := openai.Find(ctx, call, toPaint)
	if err != nil {
		return nil, err
	}
	if ai != nil {
		all = append(all, painter{ai.Name(), func(ctx context.Context, o order, left int) (*batch, error) {
			images, err := ai.Generate(ctx, openai.ImageRequest{Prompt: o.prompt, Size: o.size, Quality: o.quality, N: left})
			if err != nil {
				return nil, err
			}
			return batchOf(ai, images, o.size), nil
		}})
	}
	other, err := outward.Find(ctx, call, stability())
	if err != nil {
		return nil, err
	}
	if other != nil {
		all = append(all, painter{other.Name(), func(ctx context.Context, o order, _ int) (*batch, error) { return stabilize(ctx, other, o) }})
	}
	if len(all) == 0 {
		return nil, outward.MissingAll(call, openai.Of(toPaint), stability())
	}
	return all, nil
}

// batchOf returns the pictures of an answer of OpenAI's API.
func batchOf(client *openai.Client, images *openai.Images, size string) *batch {
	b := &batch{model: images.Model}
	if images.Size != size {
		b.size = images.Size
	}
	for _, p := range images.Pictures {
		b.pictures = append(b.pictures, drawn{
			revised: p.RevisedPrompt, load: func(ctx context.Context) ([]byte, error) { return client.Load(ctx, p) },
		})
	}
	return b
}

func generateImage(ctx context.Context, call *tool.Call, args generateImageArgs) (*generateImageResult, error) {
	out, err := newOutput(call, args.OutputPath, stemOf(args.Prompt))
	if err != nil {
		return nil, err
	}
	all, err := painters(ctx, call)
	if err != nil {
		return nil, err
	}
	what := order{styled(args.Prompt, args.Style), args.Size, args.Quality}
	if err := out.paint(ctx, all, what, count(args.N)); err != nil {
		return nil, err
	}
	return &generateImageResult{
		Files: out.files, Prompt: what.prompt, OriginalPrompt: args.Prompt, RevisedPrompt: out.revised,
		Style: args.Style, Size: args.Size, Quality: args.Quality, Count: len(out.files), Model: out.model,
	}, nil
}

// paint has the first provider make the pictures, and the next if the first certainly did
// nothing: a request that may have been charged is not repeated elsewhere.
func (o *output) paint(ctx context.Context, all []painter, what order, n int) error {
	before := ""
	for i, p := range all {
		var refused error
		err := o.fill(ctx, n, func(ctx context.Context, left int) (b *batch, err error) {
			b, refused = p.paint(ctx, what, left)
			return b, refused
		})
		switch {
		case err == nil && before != "":
			o.call.Note("%s made the picture, because %s", p.name, before)
			return nil
		case err == nil:
			return nil
		case i == len(all)-1 && before != "":
			return tool.Fail(tool.AsError(err).Kind, "%s (before that, %s)", tool.AsError(err).Msg, before).Because(err)
		case i == len(all)-1 || !outward.Declined(refused):
			return err
		}
		before = p.name + " failed: " + tool.AsError(err).Msg
	}
	return nil
}

// written refuses a prompt without words.
func written(prompt string) error {
	if strings.TrimSpace(prompt) == "" {
		return tool.Fail(tool.ValidationError, "The prompt is empty; describe the picture.")
	}
	return nil
}

// styled returns a prompt with words for a style, unless it becomes too long by them.
func styled(prompt, style string) string {
	const most = 4000
	with := strings.TrimSpace(prompt) + map[string]string{
		"realistic":   ", true to life, with natural light and fine detail",
		"artistic":    ", as an expressive painting with visible brush strokes",
		"cartoon":     ", as a cartoon with bold outlines and flat, bright colours",
		"sketch":      ", as a pencil sketch on white paper",
		"digital-art": ", as polished digital art with rich colours",
		"3d-render":   ", as a 3D rendering with soft studio light",
		"anime":       ", in the style of Japanese animation",
		"photography": ", as a photograph taken with a good camera and a shallow depth of field",
	}[style]
	if utf8.RuneCountInString(with) > most {
		return prompt
	}
	return with
}

// Present lists the pictures.
func (r *generateImageResult) Present(res *tool.Result) { res.Text = present(r.Files) }
