package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/client"
)

// Upload a document for the tools of a person, and list the workspace.
func ExampleClient_PutFile() {
	srv := workspace()
	defer srv.Close()
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	ctx := context.Background()
	if err := c.PutFile(ctx, "", "in/report.txt", strings.NewReader("Sales rose.")); err != nil {
		fmt.Println(err)
		return
	}
	files, err := c.Files(ctx, "", "")
	for _, f := range files {
		fmt.Println(f.Path, f.Size)
	}
	fmt.Println(err)
	// Output:
	// in/report.txt 11
	// <nil>
}

// Download a file that a tool has made. A missing file is a RequestError.
func ExampleClient_GetFile() {
	srv := workspace()
	defer srv.Close()
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	var out bytes.Buffer
	err = c.GetFile(context.Background(), "", "out/chart.png", &out)
	if failed, ok := errors.AsType[*client.RequestError](err); ok {
		fmt.Println(failed.Type, failed.Status)
		fmt.Println(failed.Message)
	}
	// Output:
	// not_found 404
	// there is no file out/chart.png
}
