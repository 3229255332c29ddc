package client

// pages requests the pages of a list one after the other. Get requests the page that the
// parameters name, and returns the cursor of the next one, empty after the last.
func pages(params map[string]string, get func() (next string, err error)) error {
	for {
		next, err := get()
		switch {
		case err != nil:
			return err
		case next == "":
			return nil
		case next == params["cursor"]:
			return foreign("the list has no end: its next page is the same again", nil)
		}
		params["cursor"] = next
	}
}
