// Lists posts with own votes, votes and comments, with openapi-fetch and types of openapi-typescript.
// Usage: node client.js SITE TOKEN. Prints what happened as JSON.

import createClient from "openapi-fetch";
import type { paths } from "./rostra.js";

declare const process: { argv: string[] };
const [baseUrl, token] = process.argv.slice(2);
const guest = createClient<paths>({ baseUrl });
const member = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
const newest = { params: { path: { order: "new" } } } as const;

const listed = await guest.GET("/api/v1/lists/{order}", newest);
const post = listed.data!.items[0];
const params = { path: { post_id: post.id } };
const voted = await member.POST("/api/v1/posts/{post_id}/vote", { params, body: { vote: "up" } });
const again = await member.GET("/api/v1/lists/{order}", newest);
const comments = "/api/v1/posts/{post_id}/comments";
const written = await member.POST(comments, { params, body: { text: "Very well said." } });
const read = await member.GET(comments, { params });
const refused = await member.POST(comments, { params, body: { text: "" } });
const first = read.data!.items[0];
console.log(JSON.stringify({
  guest: post.vote,
  voted: voted.data!.vote,
  member: again.data!.items.filter((one) => one.id === post.id).map((one) => one.vote),
  state: written.data!.state,
  newest: [first.id === written.data!.id, first.text, first.vote],
  refused: refused.error!.status,
}));
