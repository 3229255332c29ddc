package natsauth

// The following functions return subjects of the JetStream API, as the client library
// uses them; see nats-server/server/jetstream_api.go.

func bucketStream(bucket string) string { return "KV_" + bucket }

func objectStream(store string) string { return "OBJ_" + store }

// info allows reading the state of a stream.
func info(stream string) []string { return []string{"$JS.API.STREAM.INFO." + stream} }

// keep allows creating a stream and changing its settings, but not deleting or purging
// it.
func keep(stream string) []string {
	return []string{"$JS.API.STREAM.CREATE." + stream, "$JS.API.STREAM.UPDATE." + stream}
}

// last allows reading the last message of a subject.
func last(stream string) []string {
	return []string{
		"$JS.API.DIRECT.GET." + stream, "$JS.API.DIRECT.GET." + stream + ".>",
		"$JS.API.STREAM.MSG.GET." + stream, // with replicas the request goes to the leader
	}
}

// createUnnamed allows creating a consumer by the request without its name. The client library
// sends that when it makes the consumer of a watch again and has not yet read the version of the
// server that it is connected to, as after an outage. It permits any filter.
func createUnnamed(stream string) string { return "$JS.API.CONSUMER.CREATE." + stream }

// consume allows creating consumers of a stream and reading through them.
func consume(stream string) []string {
	return []string{
		"$JS.API.CONSUMER.CREATE." + stream + ".>", createUnnamed(stream), "$JS.API.CONSUMER.INFO." + stream + ".*",
		"$JS.API.CONSUMER.DELETE." + stream + ".*", "$JS.API.CONSUMER.MSG.NEXT." + stream + ".*",
		"$JS.API.CONSUMER.PAUSE." + stream + ".*",
		"$JS.FC." + stream + ".>",
	}
}

// ack allows acknowledging what a consumer delivered, in both forms of that subject:
// newer servers put their domain and the account before the stream.
func ack(stream, consumer string) []string {
	return []string{"$JS.ACK." + stream + "." + consumer + ".>", "$JS.ACK.*.*." + stream + "." + consumer + ".>"}
}

// putKeys allows writing to a key-value bucket.
func putKeys(bucket string) []string { return []string{"$KV." + bucket + ".>"} }

// getKeys allows reading single keys.
func getKeys(bucket string) []string {
	return []string{
		"$JS.API.DIRECT.GET." + bucketStream(bucket) + ".$KV." + bucket + ".>",
		"$JS.API.STREAM.MSG.GET." + bucketStream(bucket), // with replicas the request goes to the leader
	}
}

// followKeys allows reading and watching a bucket.
func followKeys(bucket string) []string {
	return all(read(bucketStream(bucket), "$KV."+bucket+".>"), []string{createUnnamed(bucketStream(bucket))})
}

// putObjects allows writing to an object store.
func putObjects(store string) []string {
	return []string{"$O." + store + ".C.*", "$O." + store + ".M.*"}
}

// findObjects allows reading the metadata of an object, but not its contents.
func findObjects(store string) []string {
	return []string{"$JS.API.DIRECT.GET." + objectStream(store) + ".$O." + store + ".M.*"}
}

// getObjects allows reading objects: page by page, and through consumers, as the previous
// version does.
func getObjects(store string) []string {
	return all(findObjects(store), []string{"$JS.API.DIRECT.GET." + objectStream(store)}, read(objectStream(store), "$O."+store+".C.*"))
}

// read allows reading part of a stream through consumers of its own, which live as long
// as the reader.
func read(stream, filter string) []string {
	return []string{
		"$JS.API.CONSUMER.CREATE." + stream + ".*." + filter, "$JS.API.CONSUMER.DELETE." + stream + ".*",
		"$JS.FC." + stream + ".>", "$JS.FC.*.*." + stream + ".>",
	}
}
