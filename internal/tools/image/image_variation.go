package image

import (
	"context"
	"path"
	"time"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/tool"
)

type imageVariationArgs struct {
	Image     string  `json:"image" alias:"source,path" min:"1" doc:"Image to vary, best a square: a path in the workspace, an http(s) URL, a data: URL or base64; jpg, png, gif, webp or bmp, at most 10 MB."`
	N         float64 `json:"n" default:"1" doc:"Number of variations, from 1 to 4."`
	Size      string  `json:"size" enum:"256x256,512x512,1024x1024" default:"1024x1024" doc:"Width and height in pixels."`
	OutputDir string  `json:"outputDir,omitempty" doc:"Directory for the pictures, relative to the workspace, made if need be; that of the image by default."`
}

type imageVariationResult struct {
	Files     []madeFile `json:"files"`
	Source    string     `json:"source"`
	Count     int        `json:"count"`
	Size      string     `json:"size" doc:"The size that was asked for; files have their own."`
	OutputDir string     `json:"outputDir"`
	Model     string     `json:"model"`
}

var _ = tool.Add(Set, tool.Spec[imageVariationArgs, *imageVariationResult]{
	Name: "image_variation",
	Description: "Make pictures that resemble a given one with an image model, which costs money, write them to the workspace and return " +
		"their paths and sizes.",
	Tags:       []string{"image variation", "similar image", "variant", "remix", "picture", "drawing"},
	Risk:       tool.Medium,
	Mutates:    true,
	Idempotent: false,
	OpenWorld:  true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Needs:      tool.NeedFiles | tool.NeedHTTP | tool.NeedSecrets,
	Errors: []tool.Kind{
		tool.NotConfigured, tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.NetworkError, tool.ExecutionError,
	},
	Example: `{"image": "picture.png", "n": 2, "size": "256x256", "outputDir": "variations"}`,
	Timeout: 5 * time.Minute,
	Check: func(ctx context.Context, call *tool.Call, _ imageVariationArgs) error {
		_, err := openai.Open(ctx, call, toVary)
		return err
	},
	Run: imageVariation,
})

const toVary = "to make variations of pictures (image_variation)"

func imageVariation(ctx context.Context, call *tool.Call, args imageVariationArgs) (*imageVariationResult, error) {
	client, err := openai.Open(ctx, call, toVary)
	if err != nil {
		return nil, err
	}
	src, err := load(ctx, call, args.Image, maxSent)
	if err != nil {
		return nil, err
	}
	image, err := forModel(ctx, src, formatPNG)
	if err != nil {
		return nil, err
	}
	stem := src.beside("_variation")
	if args.OutputDir != "" {
		if err := call.Files.MkdirAll(args.OutputDir); err != nil {
			return nil, err
		}
		stem = path.Join(args.OutputDir, path.Base(stem))
	}
	out, err := newOutput(call, "", stem)
	if err != nil {
		return nil, err
	}
	err = out.fill(ctx, count(args.N), func(ctx context.Context, left int) (*batch, error) {
		images, err := client.Vary(ctx, image.file("image"), left, args.Size)
		if err != nil {
			return nil, err
		}
		return batchOf(client, images, args.Size), nil
	})
	if err != nil {
		return nil, err
	}
	return &imageVariationResult{
		Files:     out.files,
		Source:    src.shown,
		Count:     len(out.files),
		Size:      args.Size,
		OutputDir: path.Dir(stem),
		Model:     out.model,
	}, nil
}

// Present lists the pictures.
func (r *imageVariationResult) Present(res *tool.Result) { res.Text = present(r.Files) }
