package finance

import (
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// maxPicture is the largest image that is sent, in bytes.
const maxPicture = 10 << 20

// picture returns the image of the arguments as a data: URL.
func (args receiptArgs) picture(call *tool.Call) (string, error) {
	var data []byte
	var err error
	switch {
	case (args.Image == "") == (args.ImageBase64 == ""):
		return "", tool.Fail(tool.ValidationError, "give either image, a file of the workspace, or imageBase64")
	case args.Image != "":
		if data, err = contents(call, args.Image); err != nil {
			return "", err
		}
	default:
		text := args.ImageBase64
		if _, rest, found := strings.Cut(text, ","); found && strings.HasPrefix(text, "data:") {
			text = rest
		}
		if len(text) > maxPicture*4/3+4 {
			return "", tooLarge()
		}
		if data, err = base64.StdEncoding.DecodeString(strings.TrimSpace(text)); err != nil {
			return "", tool.Fail(tool.ValidationError, "imageBase64 is not base64").Because(err)
		}
	}
	media := http.DetectContentType(data)
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, media) {
		return "", tool.Fail(tool.ValidationError, "the image is no PNG, JPEG, GIF or WebP; for a PDF, create an image of its page first")
	}
	return "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data), nil
}

func contents(call *tool.Call, name string) ([]byte, error) {
	f, err := call.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxPicture+1))
	if err == nil && len(data) > maxPicture {
		err = tooLarge()
	}
	return data, err
}

func tooLarge() error {
	return tool.Fail(tool.ValidationError, "the image is larger than %d bytes; resize it first", maxPicture)
}
