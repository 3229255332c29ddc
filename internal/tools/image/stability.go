package image

import (
	"context"
	"encoding/base64"
	"net/http"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// stability returns the service of Stability AI.
func stability() outward.Service {
	return outward.Service{Name: "stability", Base: "https://api.stability.ai", Use: toPaint, Set: "--stdin api_key"}
}

// maxStability bounds an answer, in bytes.
const maxStability = 40 << 20

// stabilize has Stability AI make one picture: the API makes one with each request, of its
// own size for a ratio of the sides.
func stabilize(ctx context.Context, client *outward.Client, o order) (*batch, error) {
	model := "core"
	if o.quality == "hd" {
		model = "ultra"
	}
	form := &outward.Form{}
	form.Add("prompt", o.prompt)
	form.Add("aspect_ratio", map[string]string{"1024x1792": "9:16", "1792x1024": "16:9"}[o.size])
	form.Add("output_format", "png")
	var got struct {
		Image  string `json:"image"`
		Reason string `json:"finish_reason"`
	}
	err := client.JSON(ctx,
		outward.Request{Method: http.MethodPost, Path: "v2beta/stable-image/generate/" + model, Form: form, Slow: true, Most: maxStability}, &got)
	if err != nil {
		return nil, err
	}
	if got.Reason == "CONTENT_FILTERED" {
		return nil, tool.Fail(tool.ExecutionError,
			"Stability AI made a picture and withheld it, because its filter refused it; change the prompt")
	}
	if got.Image == "" {
		return nil, client.Senseless("it has no picture")
	}
	return &batch{model: "stable-image-" + model, pictures: []drawn{{load: func(context.Context) ([]byte, error) {
		data, err := base64.StdEncoding.DecodeString(got.Image)
		if err != nil {
			return nil, client.Senseless("its picture is not base64").Because(err)
		}
		return data, nil
	}}}}, nil
}
