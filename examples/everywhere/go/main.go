// Command go calls a tool with the Go client, which takes http:// and nats:// alike.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"

	"github.com/helve-dev/helve/client"
)

func main() {
	c, err := client.New(cmp.Or(os.Getenv("HELVE_SERVER"), "http://127.0.0.1:8080"))
	if err != nil {
		log.Fatal(err)
	}
	call, err := c.Call(context.Background(), "calculate", map[string]string{"expression": "15% of 80"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", call.Value)
	c.Close()
}
