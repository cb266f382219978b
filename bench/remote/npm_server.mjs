// The npm SDK's server with an agent in its process, as its README shows. Run by bench_remote.
import { serve } from "../../interop/remote/sdk_server.mjs";
import { app } from "../wire/npm_words.mjs";

console.log(await serve(app));
process.stdin.on("end", () => process.exit(0)).resume();
