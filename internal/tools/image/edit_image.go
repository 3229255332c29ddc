package image

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

type editImageArgs struct {
	Image      string `json:"image" alias:"source,path" min:"1" doc:"Image to change: a path in the workspace, an http(s) URL, a data: URL or base64; jpg, png, gif, webp or bmp, at most 10 MB."`
	Mask       string `json:"mask,omitempty" doc:"Picture of the same size, transparent where the image is to be changed; given as image is. The model decides by default."`
	Prompt     string `json:"prompt" min:"1" max:"4000" doc:"How the picture is to be changed."`
	OutputPath string `json:"outputPath,omitempty" doc:"File to write, relative to the workspace; its extension (png, jpg, webp, gif, bmp) chooses the format. The image's name with _edited by default. A file of that name is replaced."`
}

type editImageResult struct {
	Files         []madeFile `json:"files"`
	Source        string     `json:"source"`
	Mask          string     `json:"mask,omitempty"`
	Prompt        string     `json:"prompt"`
	RevisedPrompt string     `json:"revisedPrompt,omitempty" doc:"The prompt that the model made of it."`
	Model         string     `json:"model"`
}

var _ = tool.Add(Set, tool.Spec[editImageArgs, *editImageResult]{
	Name: "edit_image",
	Description: "Change a picture as described with an image model, which costs money, write the result to the workspace and return its " +
		"path and size.",
	Tags:       []string{"image edit", "modify image", "retouch", "remove background", "inpaint", "photo", "picture", "mask"},
	Risk:       tool.Medium,
	Mutates:    true,
	Idempotent: false,
	OpenWorld:  true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Needs:      tool.NeedFiles | tool.NeedHTTP | tool.NeedSecrets,
	Errors: []tool.Kind{
		tool.NotConfigured, tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.NetworkError, tool.ExecutionError,
	},
	Example: `{"image": "picture.png", "prompt": "Make the sky orange", "outputPath": "evening.png"}`,
	Timeout: 5 * time.Minute,
	Check: func(ctx context.Context, call *tool.Call, args editImageArgs) error {
		if err := written(args.Prompt); err != nil {
			return err
		}
		if _, err := formatOf(args.OutputPath, ""); err != nil {
			return err
		}
		_, err := openai.Open(ctx, call, toEdit)
		return err
	},
	Changes: func(_ context.Context, _ *tool.Call, args editImageArgs) ([]tool.Change, error) {
		return tool.Replaces(args.OutputPath), nil
	},
	Run: editImage,
})

const toEdit = "to change pictures (edit_image)"

func editImage(ctx context.Context, call *tool.Call, args editImageArgs) (*editImageResult, error) {
	client, err := openai.Open(ctx, call, toEdit)
	if err != nil {
		return nil, err
	}
	src, err := load(ctx, call, args.Image, maxSent)
	if err != nil {
		return nil, err
	}
	image, err := forModel(ctx, src, client.EditFormats()...)
	if err != nil {
		return nil, err
	}
	res := &editImageResult{Source: src.shown, Prompt: args.Prompt}
	var mask *outward.File
	if args.Mask != "" {
		if mask, res.Mask, err = maskOf(ctx, call, args.Mask, image); err != nil {
			return nil, err
		}
	}
	out, err := newOutput(call, args.OutputPath, src.beside("_edited"))
	if err != nil {
		return nil, err
	}
	err = out.fill(ctx, 1, func(ctx context.Context, _ int) (*batch, error) {
		images, err := client.Edit(ctx, args.Prompt, image.file("image"), mask)
		if err != nil {
			return nil, err
		}
		return batchOf(client, images, images.Size), nil
	})
	res.Files, res.RevisedPrompt, res.Model = out.files, out.revised, out.model
	return res, err
}

// maskOf returns the mask as a file of the request, and its name in the result. It must fit
// the image, which a provider would refuse only after the upload.
func maskOf(ctx context.Context, call *tool.Call, ref string, image *sent) (*outward.File, string, error) {
	src, err := load(ctx, call, ref, maxSent)
	if err != nil {
		return nil, "", err
	}
	mask, err := forModel(ctx, src, formatPNG)
	if err != nil {
		return nil, "", err
	}
	if mask.size != image.size {
		return nil, "", tool.Fail(tool.ValidationError, "The mask has %d×%d pixels and the image %d×%d; give a mask of the image's size.",
			mask.size.Width, mask.size.Height, image.size.Width, image.size.Height)
	}
	file := mask.file("mask")
	return &file, src.shown, nil
}

// Present lists the picture.
func (r *editImageResult) Present(res *tool.Result) { res.Text = present(r.Files) }
