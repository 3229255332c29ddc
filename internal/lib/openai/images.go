package openai

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
)

// ImageModel is the model where the service names none, and VariationModel that for
// variations, which OpenAI's newer models do not make.
const (
	ImageModel     = "gpt-image-1"
	VariationModel = "dall-e-2"
)

// maxImages bounds an answer with pictures, and maxImage one picture, in bytes.
const (
	maxImages = 60 << 20
	maxImage  = 25 << 20
)

// Images is an answer with pictures.
type Images struct {
	Model string
	// Size is the size that the model was asked for.
	Size     string
	Pictures []Picture
}

// Picture is a picture as the endpoint returned it; [Client.Load] returns its bytes.
type Picture struct {
	// RevisedPrompt is the prompt that the model made of the caller's; it may be empty.
	RevisedPrompt string `json:"revised_prompt"`

	Base64 string `json:"b64_json"`
	URL    string `json:"url"`
}

// ImageRequest is a description of pictures.
type ImageRequest struct {
	Prompt string
	// Size is WIDTHxHEIGHT, Quality standard or hd. A model that has other values gets the
	// nearest ones.
	Size, Quality string
	// N is the number of pictures; a model that makes one at a time returns one.
	N int
}

type imageRequest struct {
	Model   string `json:"model"`
	Prompt  string `json:"prompt"`
	N       int    `json:"n"`
	Size    string `json:"size"`
	Quality string `json:"quality,omitempty"`
	Format  string `json:"response_format,omitempty"`
}

type imagesAnswer struct {
	Data  []Picture `json:"data"`
	Usage struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
	} `json:"usage"`
}

// Generate makes pictures of a description.
func (c *Client) Generate(ctx context.Context, r ImageRequest) (*Images, error) {
	req := r.known(c.Model("", "image_model", ImageModel))
	return c.images(ctx, outward.Request{Path: "images/generations", JSON: req}, req.Model, req.Size)
}

// Edit changes a picture as the prompt describes, where the mask, if there is one, is
// transparent.
func (c *Client) Edit(ctx context.Context, prompt string, image outward.File, mask *outward.File) (*Images, error) {
	model := c.editModel()
	form := &outward.Form{Files: []outward.File{image}}
	if mask != nil {
		form.Files = append(form.Files, *mask)
	}
	form.Add("model", model)
	form.Add("prompt", prompt)
	form.Add("response_format", answerFormat(model))
	return c.images(ctx, outward.Request{Path: "images/edits", Form: form}, model, "")
}

func (c *Client) editModel() string { return c.Model("", "image_model", ImageModel) }

// EditFormats returns the formats of pictures that the model of Edit takes.
func (c *Client) EditFormats() []string {
	if isGPTImage(c.editModel()) {
		return []string{"png", "jpeg", "webp"}
	}
	return []string{"png"}
}

// Vary makes pictures that resemble one.
func (c *Client) Vary(ctx context.Context, image outward.File, n int, size string) (*Images, error) {
	model := c.Model("", "image_model", VariationModel)
	if isGPTImage(model) || model == dallE3 {
		model = VariationModel
	}
	form := &outward.Form{Files: []outward.File{image}}
	form.Add("model", model)
	form.Add("n", strconv.Itoa(n))
	form.Add("size", size)
	form.Add("response_format", answerFormat(model))
	return c.images(ctx, outward.Request{Path: "images/variations", Form: form}, model, size)
}

func (c *Client) images(ctx context.Context, r outward.Request, model, size string) (*Images, error) {
	r.Method, r.Slow, r.Most = http.MethodPost, true, maxImages
	var got imagesAnswer
	if err := c.JSON(ctx, r, &got); err != nil {
		return nil, err
	}
	c.reported(model, got.Usage.Input, got.Usage.Output)
	if len(got.Data) == 0 {
		return nil, c.Senseless("it has no picture")
	}
	return &Images{Model: model, Size: size, Pictures: got.Data}, nil
}

// Load returns the bytes of a picture, and fetches it if the endpoint returned its address.
func (c *Client) Load(ctx context.Context, p Picture) ([]byte, error) {
	switch {
	case p.Base64 != "":
		data, err := base64.StdEncoding.DecodeString(p.Base64)
		if err != nil {
			return nil, c.Senseless("a picture is not base64").Because(err)
		}
		return data, nil
	case p.URL != "":
		return c.Fetch(ctx, p.URL, maxImage)
	default:
		return nil, c.Senseless("it has a picture without contents")
	}
}

const (
	dallE2 = "dall-e-2"
	dallE3 = "dall-e-3"
)

func isGPTImage(model string) bool {
	return strings.HasPrefix(model, "gpt-image") || strings.HasPrefix(model, "chatgpt-image")
}

// answerFormat returns the value of response_format: pictures in the answer itself. The
// GPT models return no others and refuse the parameter.
func answerFormat(model string) string {
	if isGPTImage(model) {
		return ""
	}
	return "b64_json"
}

// known returns the request with values that the model knows. Models of others get them as
// they are.
func (r ImageRequest) known(model string) imageRequest {
	req := imageRequest{Model: model, Prompt: r.Prompt, N: r.N, Size: r.Size, Quality: r.Quality, Format: answerFormat(model)}
	switch {
	case isGPTImage(model):
		sizes := map[string]string{"1024x1792": "1024x1536", "1792x1024": "1536x1024"}
		req.Size = cmp.Or(sizes[r.Size], "1024x1024")
		req.Quality = map[string]string{"standard": "medium", "hd": "high"}[r.Quality]
	case model == dallE3:
		req.N = 1
		if r.Size == "256x256" || r.Size == "512x512" {
			req.Size = "1024x1024"
		}
	case model == dallE2:
		req.Quality = ""
		if r.Size == "1024x1792" || r.Size == "1792x1024" {
			req.Size = "1024x1024"
		}
	}
	return req
}
