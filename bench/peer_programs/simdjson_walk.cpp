// The bare engine to compare with: simdjson's on-demand parser walks every event of a trace and reads ph, ts, dur,
// name and cat. It keeps nothing, sorts nothing and sums nothing, so it bounds what any reader of JSON can do.
//   simdjson_walk FILE      prints, as JSON, what it saw and the CPU seconds without those for loading the file
#include <simdjson.h>

#include <cstdio>
#include <ctime>

using namespace simdjson;

struct totals {
    size_t events = 0, complete = 0, text = 0;
    double ts = 0, dur = 0;
};

static void walk_event(ondemand::object event, totals &t)
{
    bool complete = false;
    double dur = 0;
    t.events++;
    for (auto field : event) {
        std::string_view key = field.unescaped_key();
        if (key == "ph") {
            complete = field.value().get_string().value() == "X";
        } else if (key == "name" || key == "cat") {
            t.text += field.value().get_string().value().size();
        } else if (key == "ts") {
            t.ts += field.value().get_double().value();
        } else if (key == "dur") {
            dur = field.value().get_double().value();
        }
    }
    t.complete += complete;
    t.dur += dur;
}

static double cpu_s()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + double(t.tv_nsec) / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: simdjson_walk FILE\n");
        return 2;
    }
    try {
        totals t;
        padded_string text = padded_string::load(argv[1]);
        double loaded_s = cpu_s();
        ondemand::parser parser;
        ondemand::document document = parser.iterate(text);
        for (auto event : document["traceEvents"])
            walk_event(event.get_object(), t);
        std::printf("{\"events\":%zu,\"complete\":%zu,\"dur_us\":%.0f,\"text_bytes\":%zu,\"parse_cpu_s\":%.6f}\n",
                    t.events, t.complete, t.dur, t.text, cpu_s() - loaded_s);
    } catch (const simdjson_error &e) {
        std::fprintf(stderr, "simdjson_walk: %s: %s\n", argv[1], e.what());
        return 3;
    }
    return 0;
}
