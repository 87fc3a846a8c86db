BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE attempts (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	token TEXT NOT NULL, 
	session_number INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	failure_category TEXT, 
	failure_reason TEXT, 
	failure_message TEXT, 
	slot_shape TEXT, 
	block_id TEXT, 
	node TEXT, 
	slot_index INTEGER, 
	cores TEXT, 
	devices TEXT, 
	submitted_us BIGINT NOT NULL, 
	process_start_us BIGINT, 
	ready_us BIGINT, 
	run_start_us BIGINT, 
	timed_window_start_us BIGINT, 
	timed_window_stop_us BIGINT, 
	run_stop_us BIGINT, 
	process_stop_us BIGINT, 
	received_us BIGINT, 
	fom_seconds FLOAT, 
	accuracy FLOAT, 
	exit_code INTEGER, 
	signal TEXT, 
	peak_memory_bytes BIGINT, 
	cpu_seconds FLOAT, 
	environment_sha256 TEXT, 
	observed TEXT, 
	data_facts TEXT, 
	stdout_path TEXT, 
	stderr_path TEXT, 
	stderr_tail TEXT, 
	observation_sha256 TEXT, 
	clock_offset_max_us BIGINT, 
	run_start_arrived_us BIGINT, 
	timed_window_start_arrived_us BIGINT, 
	timed_window_stop_arrived_us BIGINT, 
	run_stop_arrived_us BIGINT, 
	run_start_cpu_seconds FLOAT, 
	timed_window_stop_cpu_seconds FLOAT, 
	run_stop_cpu_seconds FLOAT, 
	clock_offset_min_us BIGINT, 
	CONSTRAINT pk_attempts PRIMARY KEY (campaign_id, instance_id, attempt_number), 
	CONSTRAINT fk_attempts_campaign_id_instance_id FOREIGN KEY(campaign_id, instance_id) REFERENCES instances (campaign_id, instance_id), 
	CONSTRAINT uq_attempts_token UNIQUE (token), 
	CONSTRAINT fk_attempts_environment_sha256 FOREIGN KEY(environment_sha256) REFERENCES documents (sha256), 
	CONSTRAINT fk_attempts_observation_sha256 FOREIGN KEY(observation_sha256) REFERENCES documents (sha256)
)
 WITHOUT ROWID

;
INSERT INTO "attempts" VALUES(1,0,1,'demo-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790000060000000,1790000060072113,1790000064786812,1790000080016840,NULL,NULL,1790000696945590,1790000697470622,1790000697474415,616.92875,0.806368,0,NULL,1141019675,1048.779,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1000, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 800, "synthetic": true, "test_rows": 100, "train_rows": 300}','/runs/demo/logs/0.1.out',NULL,NULL,'a50d0e4ce2edba1869ffd2c8fd759181687867dfd5242977bf7b5622aab0ce41',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,1,1,'demo-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790000060000137,1790000060044765,1790000064685053,1790000080020670,NULL,NULL,1790000685679285,1790000685931078,1790000685934622,605.658615,0.806234,0,NULL,1384685735,1029.62,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1001, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 800, "synthetic": true, "test_rows": 100, "train_rows": 300}','/runs/demo/logs/1.1.out',NULL,NULL,'587b0d195bc0b222bd559326be166d3a9d904a4683232885002384f6e94a5a67',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,2,1,'demo-2.1',1,'failed','benchmark','loss is not a number','made to fail','c1','0','desk',2,'2',NULL,1790000060000274,1790000060076245,NULL,NULL,NULL,NULL,NULL,1790000684666095,1790000684674141,NULL,NULL,1,NULL,1512730598,1027.327,NULL,NULL,NULL,'/runs/demo/logs/2.1.out',NULL,'Traceback …
','919a81901ae1333030404021b8f5abae9472f233cac0063bde4395b01aa0bf00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,2,2,'demo-2.2',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790000700599906,1790000700654960,1790000705534589,1790000720611670,NULL,NULL,1790001320881068,1790001321460674,1790001321467009,600.269398,0.808092,0,NULL,1520606791,1020.458,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1002, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 800, "synthetic": true, "test_rows": 100, "train_rows": 300}','/runs/demo/logs/2.2.out',NULL,NULL,'a50d0e4ce2edba1869ffd2c8fd759181687867dfd5242977bf7b5622aab0ce41',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,3,1,'demo-3.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',3,'3',NULL,1790000060000411,1790000060084677,1790000065559363,1790000080022655,NULL,NULL,1790000698365095,1790000698595139,1790000698599906,618.34244,0.807112,0,NULL,1717660662,1051.182,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [3], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1003, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 800, "synthetic": true, "test_rows": 100, "train_rows": 300}','/runs/demo/logs/3.1.out',NULL,NULL,'046b05d8b3a3f06dbb7bff7a0d4746cddef99a5240393b734c4ba3181d1e4da9',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,4,1,'demo-4.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790001323467009,1790001323516728,1790001327797760,1790001343475626,NULL,NULL,1790001366175675,1790001366527070,1790001366534958,22.700049,0.594332,0,NULL,1197136159,38.59,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1004, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 80, "grade_train_rows": 600, "laterality_classes": 2, "laterality_test_rows": 80, "laterality_train_rows": 300, "site_classes": 6, "site_test_rows": 100, "site_train_rows": 900, "synthetic": true}','/runs/demo/logs/4.1.out',NULL,NULL,'83258fabf090de3cb04ab74f24246c24cd7e3da4e414a93ed8fb07184a22af21',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,5,1,'demo-5.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790001323467146,1790001323548379,1790001329519066,1790001343496106,NULL,NULL,1790001366650976,1790001367115280,1790001367118562,23.15487,0.595431,0,NULL,1353532438,39.363,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1005, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 80, "grade_train_rows": 600, "laterality_classes": 2, "laterality_test_rows": 80, "laterality_train_rows": 300, "site_classes": 6, "site_test_rows": 100, "site_train_rows": 900, "synthetic": true}','/runs/demo/logs/5.1.out',NULL,NULL,'294b561e38b1bd4b474c903d67bf6c9bd4465a5a4b3bc9379e8a0ffebbb95b70',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,6,1,'demo-6.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',2,'2',NULL,1790001323467283,1790001323551661,1790001328985488,1790001343468268,NULL,NULL,1790001365901375,1790001366452560,1790001366460077,22.433107,0.597331,0,NULL,1141590902,38.136,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1006, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 80, "grade_train_rows": 600, "laterality_classes": 2, "laterality_test_rows": 80, "laterality_train_rows": 300, "site_classes": 6, "site_test_rows": 100, "site_train_rows": 900, "synthetic": true}','/runs/demo/logs/6.1.out',NULL,NULL,'e77abc14740480b783af96350fd50641f7a053c9fd47deeb74c3c248b6bd8e48',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,7,1,'demo-7.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',3,'3',NULL,1790001323467420,1790001323518208,1790001327994279,1790001343496347,NULL,NULL,1790001367137872,1790001367364013,1790001367371579,23.641525,0.597924,0,NULL,1716977096,40.191,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [3], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1007, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 80, "grade_train_rows": 600, "laterality_classes": 2, "laterality_test_rows": 80, "laterality_train_rows": 300, "site_classes": 6, "site_test_rows": 100, "site_train_rows": 900, "synthetic": true}','/runs/demo/logs/7.1.out',NULL,NULL,'c19173a69377443570f972446b89944d7c4f1bb72c713d1f23bf50794a510b37',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,8,1,'demo-8.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790001369371579,1790001369430498,1790001373986147,1790001389373587,1790001391373587,1790001398063630,1790001398163630,1790001398701825,1790001398708250,0.00209063844,NULL,0,NULL,1344236068,14.943,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1008, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/8.1.out',NULL,NULL,'e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,9,1,'demo-9.1',1,'lost','infrastructure','node failed','its node is gone','c1','0','desk',1,'1',NULL,1790001369371716,1790001369425228,NULL,NULL,NULL,NULL,NULL,NULL,1790001398814480,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1bb4d41417fadc32e8557aa5d55834fb1a622bd8141804836e66d308fe507653',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,9,2,'demo-9.2',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790001401130679,1790001401189243,1790001406480797,1790001421142563,1790001423142563,1790001429849742,1790001429949742,1790001430226120,1790001430234731,0.00209599344,NULL,0,NULL,1940002304,14.972,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1009, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/9.2.out',NULL,NULL,'e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,10,1,'demo-10.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',2,'2',NULL,1790001369371853,1790001369444878,1790001373795756,1790001389400364,1790001391400364,1790001398484877,1790001398584877,1790001399123981,1790001399130679,0.00221391031,NULL,0,NULL,1282272422,15.614,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1010, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/10.1.out',NULL,NULL,'1a5631da90657745b8b55231be4047e74b51fa7cf1bc204e0dc4888ecd610626',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,11,1,'demo-11.1',1,'timed_out','benchmark','timeout','made to fail','c1','0','desk',3,'3',NULL,1790001369371990,1790001369427976,NULL,NULL,NULL,NULL,NULL,1790001398667571,1790001398673866,NULL,NULL,1,NULL,1276088155,15.294,NULL,NULL,NULL,'/runs/demo/logs/11.1.out',NULL,'Traceback …
','a3f3120694472f928a52a88dc58885eb08710950181d711c511708f8e9fdd25c',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,11,2,'demo-11.2',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790001401130816,1790001401200046,1790001405580073,1790001421155337,1790001423155337,1790001430251513,1790001430351513,1790001430819599,1790001430824781,0.002217555,NULL,0,NULL,1502115786,15.634,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1011, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/11.2.out',NULL,NULL,'c3dadbe3051ca8b0b45cc265942eed8194f5587e4c0e80ffa3192f573ae0d967',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,12,1,'demo-12.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790001432824781,1790001432867201,1790001438318687,1790001452851074,1790001454851074,1790001467062660,1790001467162660,1790001467407349,1790001467412392,0.24423172,NULL,0,NULL,1229282241,24.33,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1012, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/12.1.out',NULL,NULL,'e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,13,1,'demo-13.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790001432824918,1790001432879087,1790001438457587,1790001452849621,1790001454849621,1790001467089295,1790001467189295,1790001467448936,1790001467456153,0.24479348,NULL,0,NULL,2099084149,24.377,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1013, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/13.1.out',NULL,NULL,'c3dadbe3051ca8b0b45cc265942eed8194f5587e4c0e80ffa3192f573ae0d967',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,14,1,'demo-14.1',1,'cancelled','neutral','cancelled','the campaign was stopped','c1','0','desk',0,'0',NULL,1790001469456153,1790001469543474,NULL,NULL,NULL,NULL,NULL,NULL,1790001549731403,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'532333c29fb57e8833cd928e1fa17f7c91be752d2280791709b2f8ddbad64a43',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,14,2,'demo-14.2',2,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790001854388036,1790001854468588,1790001858984602,1790001874409803,1790001876409803,1790001935575617,1790001935675617,1790001936115795,1790001936123548,1.18331628,NULL,0,NULL,2066974105,104.152,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1014, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/14.2.out',NULL,NULL,'e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,15,1,'demo-15.1',1,'cancelled','neutral','cancelled','the campaign was stopped','c1','0','desk',1,'1',NULL,1790001469456290,1790001469512226,NULL,NULL,NULL,NULL,NULL,NULL,1790001551388036,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1bb4d41417fadc32e8557aa5d55834fb1a622bd8141804836e66d308fe507653',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,15,2,'demo-15.2',2,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790001854388173,1790001854443069,1790001859049306,1790001874408865,1790001876408865,1790001934147197,1790001934247197,1790001934479992,1790001934488739,1.15476664,NULL,0,NULL,1341969670,101.725,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1015, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/15.2.out',NULL,NULL,'c3dadbe3051ca8b0b45cc265942eed8194f5587e4c0e80ffa3192f573ae0d967',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,16,1,'demo-16.1',2,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790001938123548,1790001938203512,1790001944032426,1790001958151000,1790001960151000,1790001991669167,1790001991769167,1790001992217854,1790001992226317,0.63036334,NULL,0,NULL,1909926539,57.151,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1016, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/16.1.out',NULL,NULL,'e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,17,1,'demo-17.1',2,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790001938123685,1790001938164609,1790001943327140,1790001958149170,1790001960149170,1790001991254147,1790001991354147,1790001991709995,1790001991716358,0.62209954,NULL,0,NULL,2057481414,56.448,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1017, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/17.1.out',NULL,NULL,'c3dadbe3051ca8b0b45cc265942eed8194f5587e4c0e80ffa3192f573ae0d967',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,18,1,'demo-18.1',2,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790001994226317,1790001994266478,1790001999380166,1790002014243035,1790002016243035,1790002097617000,1790002097717000,1790002098113930,1790002098122209,1.6274793,NULL,0,NULL,1767254388,141.906,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1018, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/18.1.out',NULL,NULL,'e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,19,1,'demo-19.1',2,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790001994226454,1790001994269553,1790001999832310,1790002014227627,1790002016227627,1790002098714102,1790002098814102,1790002099283352,1790002099288004,1.6497295,NULL,0,NULL,1610093828,143.797,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1019, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo/logs/19.1.out',NULL,NULL,'c3dadbe3051ca8b0b45cc265942eed8194f5587e4c0e80ffa3192f573ae0d967',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,20,1,'demo-20.1',2,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0,1',NULL,1790002101288004,1790002101369420,1790002106918858,1790002121308209,NULL,NULL,1790003464073701,1790003464667664,1790003464674087,1342.76549,75.4973,0,NULL,1550747062,2282.701,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1020, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0], "host": "desk", "pid": 2200}, {"cpuset": [1], "host": "desk", "pid": 2201}], "tensor_float32": false}','{"classes": 4, "image_edge": 80, "images_per_shard": 1252, "layout": "folders", "synthetic": true, "train_images": 480, "validation_images": 120}','/runs/demo/logs/20.1.out',NULL,NULL,'9ece8381a295757539dbe14e3b32efa8eabe7152b756aded5b816babc25ffb4e',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,21,1,'demo-21.1',2,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'2,3',NULL,1790002101288141,1790002101362043,1790002105394929,1790002121289035,NULL,NULL,1790003463816474,1790003464294772,1790003464299942,1342.52744,76.0472,0,NULL,1496497479,2282.297,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1021, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [2], "host": "desk", "pid": 2210}, {"cpuset": [3], "host": "desk", "pid": 2211}], "tensor_float32": false}','{"classes": 4, "image_edge": 80, "images_per_shard": 1252, "layout": "folders", "synthetic": true, "train_images": 480, "validation_images": 120}','/runs/demo/logs/21.1.out',NULL,NULL,'af392cc99ae19a96772f94ee3883ffb491c1298fefe463c653fc65e0bbf051b9',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,0,1,'demo-shared-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790086460000000,1790086460072501,1790086465870248,1790086480013910,NULL,NULL,1790087098849795,1790087099080172,1790087099083601,618.835885,0.806041,0,NULL,1547820401,1052.021,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1000, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 800, "synthetic": true, "test_rows": 100, "train_rows": 300}','/runs/demo-shared/logs/0.1.out',NULL,NULL,'a50d0e4ce2edba1869ffd2c8fd759181687867dfd5242977bf7b5622aab0ce41',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,1,1,'demo-shared-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790086460000137,1790086460057156,1790086465238432,1790086480016814,NULL,NULL,1790087077891924,1790087078473218,1790087078478944,597.87511,NULL,0,NULL,1660307831,1016.388,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1001, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 800, "synthetic": true, "test_rows": 100, "train_rows": 300}','/runs/demo-shared/logs/1.1.out',NULL,NULL,'587b0d195bc0b222bd559326be166d3a9d904a4683232885002384f6e94a5a67',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,2,1,'demo-shared-2.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790087101083601,1790087101127129,1790087106330270,1790087121108030,NULL,NULL,1790087144091737,1790087144646825,1790087144651064,22.983707,0.594546,0,NULL,2118324298,39.072,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1002, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 80, "grade_train_rows": 600, "laterality_classes": 2, "laterality_test_rows": 80, "laterality_train_rows": 300, "site_classes": 6, "site_test_rows": 100, "site_train_rows": 900, "synthetic": true}','/runs/demo-shared/logs/2.1.out',NULL,NULL,'83258fabf090de3cb04ab74f24246c24cd7e3da4e414a93ed8fb07184a22af21',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,3,1,'demo-shared-3.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790087101083738,1790087101163947,1790087105969408,1790087121084723,NULL,NULL,1790087143455035,1790087143875490,1790087143883125,22.370312,0.594194,0,NULL,1323634192,38.03,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1003, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 80, "grade_train_rows": 600, "laterality_classes": 2, "laterality_test_rows": 80, "laterality_train_rows": 300, "site_classes": 6, "site_test_rows": 100, "site_train_rows": 900, "synthetic": true}','/runs/demo-shared/logs/3.1.out',NULL,NULL,'294b561e38b1bd4b474c903d67bf6c9bd4465a5a4b3bc9379e8a0ffebbb95b70',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,4,1,'demo-shared-4.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790087146651064,1790087146710619,1790087151124587,1790087166669351,1790087168669351,1790087175733439,1790087175833439,1790087176132330,1790087176140147,0.0022075275,NULL,0,NULL,1272478087,15.579,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1004, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-shared/logs/4.1.out',NULL,NULL,'e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,5,1,'demo-shared-5.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790087146651201,1790087146725735,1790087151492277,1790087166655251,1790087168655251,1790087175677715,1790087175777715,1790087176010070,1790087176013291,NULL,NULL,0,NULL,1587247169,15.508,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1005, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-shared/logs/5.1.out',NULL,NULL,'c3dadbe3051ca8b0b45cc265942eed8194f5587e4c0e80ffa3192f573ae0d967',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,6,1,'demo-shared-6.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790087178140147,1790087178227247,1790087182541607,1790087198150810,NULL,NULL,1790087211924559,1790087212506305,1790087212514513,0.23347498,NULL,0,NULL,1750924234,23.415,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1006, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-shared/logs/6.1.out',NULL,NULL,'e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,7,1,'demo-shared-7.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790087178140284,1790087178197389,1790087182681535,1790087198163792,1790087200163792,1790087212284946,1790087212384946,1790087212834161,1790087212839986,0.24242308,NULL,0,NULL,1838066891,24.176,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1007, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-shared/logs/7.1.out',NULL,NULL,'c3dadbe3051ca8b0b45cc265942eed8194f5587e4c0e80ffa3192f573ae0d967',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,8,1,'demo-shared-8.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790087214839986,1790087214911150,1790087219656016,1790087234845058,1790087236845058,1790087297220145,1790087297320145,1790087297534300,1790087297538188,1.20750174,NULL,0,NULL,2121555745,106.208,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1008, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-shared/logs/8.1.out',NULL,NULL,'8731eb6b2029847365d0cd196893aae805117395cdf1a3c593d834cd2be0201f',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,9,1,'demo-shared-9.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790087214840123,1790087214883570,1790087219416379,1790087234867547,1790087236867547,1790087294290400,1790087294390400,1790087294913746,1790087294920037,1.14845706,NULL,0,NULL,1543187920,101.189,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1009, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-shared/logs/9.1.out',NULL,NULL,'c3dadbe3051ca8b0b45cc265942eed8194f5587e4c0e80ffa3192f573ae0d967',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,10,1,'demo-shared-10.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790087299538188,1790087299595647,1790087304298723,1790087319549436,1790087321549436,1790087353081415,1790087353181415,1790087353776343,1790087353781959,0.63063958,NULL,0,NULL,1983138906,57.174,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1010, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-shared/logs/10.1.out',NULL,NULL,'e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,11,1,'demo-shared-11.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790087299538325,1790087299590467,1790087304841255,1790087319541096,1790087321541096,1790087353133697,1790087353233697,1790087353649847,1790087353657881,0.63185202,NULL,0,NULL,1369491039,57.277,'44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a','{}','{}','/runs/demo-shared/logs/11.1.out',NULL,NULL,'926113120f361d8a786d8b2dd6211fbfdc8ac27d4a4eba8f46fe0a5130db1893',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,12,1,'demo-shared-12.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790087355781959,1790087355864057,1790087360206500,1790087375794434,1790087377794434,1790087458034134,1790087458134134,1790087458499129,1790087458506624,1.604794,NULL,0,NULL,1114198211,139.977,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1012, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-shared/logs/12.1.out',NULL,NULL,'e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,13,1,'demo-shared-13.1',1,'failed','benchmark','exit code 3',NULL,'c1','0','desk',1,'1',NULL,1790087355782096,1790087355869037,NULL,NULL,NULL,NULL,NULL,1790087459086168,1790087459094761,NULL,NULL,3,NULL,1667658579,141.198,NULL,NULL,NULL,'/runs/demo-shared/logs/13.1.out',NULL,NULL,'1bb4d41417fadc32e8557aa5d55834fb1a622bd8141804836e66d308fe507653',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,14,1,'demo-shared-14.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0,1',NULL,1790087461094761,1790087461167958,1790087466110898,1790087481124461,NULL,NULL,1790088793449965,1790088793736209,1790088793741460,1312.3255,75.3851,0,NULL,1088735530,2230.953,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1014, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0], "host": "desk", "pid": 2140}, {"cpuset": [1], "host": "desk", "pid": 2141}], "tensor_float32": false}','{"classes": 4, "image_edge": 80, "images_per_shard": 1252, "layout": "folders", "synthetic": true, "train_images": 480, "validation_images": 120}','/runs/demo-shared/logs/14.1.out',NULL,NULL,'9ece8381a295757539dbe14e3b32efa8eabe7152b756aded5b816babc25ffb4e',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,15,1,'demo-shared-15.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'2,3',NULL,1790087461094898,1790087461162320,1790087466466436,1790087481118179,NULL,NULL,1790088813098617,1790088813562223,1790088813569952,1331.98044,75.5462,0,NULL,1753707771,2264.367,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1015, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [2], "host": "desk", "pid": 2150}, {"cpuset": [3], "host": "desk", "pid": 2151}], "tensor_float32": false}','{"classes": 4, "image_edge": 80, "images_per_shard": 1252, "layout": "folders", "synthetic": true, "train_images": 480, "validation_images": 120}','/runs/demo-shared/logs/15.1.out',NULL,NULL,'af392cc99ae19a96772f94ee3883ffb491c1298fefe463c653fc65e0bbf051b9',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,0,1,'demo-lstm-0.1',1,'failed','benchmark','loss is not a number','made to fail','c1','0','desk',0,'0',NULL,1790172860000000,1790172860054882,NULL,NULL,NULL,NULL,NULL,1790172889515536,1790172889521087,NULL,NULL,1,NULL,1226842887,15.343,NULL,NULL,NULL,'/runs/demo-lstm/logs/0.1.out',NULL,'Traceback …
','532333c29fb57e8833cd928e1fa17f7c91be752d2280791709b2f8ddbad64a43',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,0,2,'demo-lstm-0.2',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',0,'0',NULL,1790172891521087,1790172891594344,1790172896419960,1790172911521729,1790172913521729,1790172920393412,1790172920493412,1790172920757857,1790172920764873,0.00214740094,NULL,0,NULL,1413786740,15.252,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1000, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-lstm/logs/0.2.out',NULL,NULL,'e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,1,1,'demo-lstm-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790172860000137,1790172860062319,1790172865267860,1790172880001812,1790172882001812,1790172888819590,1790172888919590,1790172889322253,1790172889330940,0.00213055562,NULL,0,NULL,1912941926,15.16,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1001, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-lstm/logs/1.1.out',NULL,NULL,'c3dadbe3051ca8b0b45cc265942eed8194f5587e4c0e80ffa3192f573ae0d967',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,2,1,'demo-lstm-2.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',2,'2',NULL,1790172860000274,1790172860061154,1790172865980058,1790172880021819,1790172882021819,1790172888677204,1790172888777204,1790172889035011,1790172889041465,0.00207980781,NULL,0,NULL,1775683804,14.884,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1002, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-lstm/logs/2.1.out',NULL,NULL,'1a5631da90657745b8b55231be4047e74b51fa7cf1bc204e0dc4888ecd610626',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,3,1,'demo-lstm-3.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',3,'3',NULL,1790172860000411,1790172860067059,1790172864087261,1790172880016443,1790172882016443,1790172888673709,1790172888773709,1790172889239739,1790172889243904,0.00208039563,NULL,0,NULL,1946244755,14.887,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [3], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1003, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-lstm/logs/3.1.out',NULL,NULL,'95ddb273b4d9eb2b472895c9aba8b60444f94f3636b4b99bc33f3c2a619ad5ce',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,4,1,'demo-lstm-4.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',1,'1',NULL,1790172891521224,1790172891604828,1790172896612893,1790172911539143,1790172913539143,1790172920397432,1790172920497432,1790172920889658,1790172920896002,0.00214321531,NULL,0,NULL,1175257666,15.229,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1004, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-lstm/logs/4.1.out',NULL,NULL,'c3dadbe3051ca8b0b45cc265942eed8194f5587e4c0e80ffa3192f573ae0d967',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,5,1,'demo-lstm-5.1',1,'succeeded',NULL,NULL,NULL,'c1','0','desk',2,'2',NULL,1790172891521361,1790172891600236,1790172897221454,1790172911539799,1790172913539799,1790172920607502,1790172920707502,1790172920973357,1790172920982325,0.00220865719,NULL,0,NULL,1909403969,15.585,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2], "framework": "tensorflow", "framework_version": "2.18.1", "host": "desk", "pid": 1005, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/demo-lstm/logs/5.1.out',NULL,NULL,'1a5631da90657745b8b55231be4047e74b51fa7cf1bc204e0dc4888ecd610626',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE benchmarks (
	campaign_id INTEGER NOT NULL, 
	benchmark TEXT NOT NULL, 
	workload TEXT NOT NULL, 
	instances INTEGER NOT NULL, 
	parameters TEXT NOT NULL, 
	slot TEXT NOT NULL, 
	timeout_seconds FLOAT, 
	quality_metric TEXT, 
	quality_target FLOAT, 
	CONSTRAINT pk_benchmarks PRIMARY KEY (campaign_id, benchmark), 
	CONSTRAINT fk_benchmarks_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "benchmarks" VALUES(1,'alexnet','alexnet',2,'{"batch_size": 32, "burn_in": 10, "framework": "tensorflow", "image_size": 131, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'googlenet','googlenet',2,'{"batch_size": 4, "burn_in": 10, "framework": "tensorflow", "image_size": 193, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'lstm','lstm',4,'{"batch_size": 32, "framework": "tensorflow", "hidden_width": 256, "learning_rate": 0.01, "precision": "float32", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'overfeat','overfeat',2,'{"batch_size": 16, "burn_in": 10, "framework": "tensorflow", "image_size": 103, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'p1b1','p1b1',4,'{"batch_size": 20, "epochs": 30, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 60, "latent_width": 2, "learning_rate": 0.001, "loader": "numpy", "max_epochs": 0, "outer_width": 200, "precision": "float32", "time_limit": 3600.0, "weights_seed": 1}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,'pearson_correlation',0.7808);
INSERT INTO "benchmarks" VALUES(1,'p3b1','p3b1',4,'{"batch_size": 10, "epochs": 6, "first_width": 200, "framework": "tensorflow", "learning_rate": 0.03, "loader": "numpy", "max_epochs": 0, "precision": "float32", "second_width": 200, "shared_width": 200, "time_limit": 1800.0}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,'geometric_mean_f1',0.5637);
INSERT INTO "benchmarks" VALUES(1,'resnet50','resnet50',2,'{"batch_size": 12, "classes": 4, "depth_divisor": 3, "epochs": 6, "first_drop": 5, "image_size": 64, "learning_rate": 0.0125, "max_epochs": 0, "momentum": 0.9, "precision": "float32", "resume": true, "second_drop": 60, "target_accuracy": 74.9, "third_drop": 80, "warmup_epochs": 2, "weight_decay": 5e-05, "width_divisor": 8}','{"nodes": 1, "ranks": 2, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 2, "share_of_system": 0.5}',300.0,'top_1_percent',74.9);
INSERT INTO "benchmarks" VALUES(1,'vgg','vgg',2,'{"batch_size": 16, "burn_in": 10, "framework": "tensorflow", "image_size": 64, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'alexnet','alexnet',2,'{"batch_size": 32, "burn_in": 10, "framework": "tensorflow", "image_size": 131, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'googlenet','googlenet',2,'{"batch_size": 4, "burn_in": 10, "framework": "tensorflow", "image_size": 193, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'lstm','lstm',2,'{"batch_size": 32, "framework": "tensorflow", "hidden_width": 256, "learning_rate": 0.01, "precision": "float32", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'overfeat','overfeat',2,'{"batch_size": 16, "burn_in": 10, "framework": "tensorflow", "image_size": 103, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'p1b1','p1b1',2,'{"batch_size": 20, "epochs": 30, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 60, "latent_width": 2, "learning_rate": 0.001, "loader": "numpy", "max_epochs": 0, "outer_width": 200, "precision": "float32", "time_limit": 3600.0, "weights_seed": 1}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,'pearson_correlation',0.7808);
INSERT INTO "benchmarks" VALUES(2,'p3b1','p3b1',2,'{"batch_size": 10, "epochs": 6, "first_width": 200, "framework": "tensorflow", "learning_rate": 0.03, "loader": "numpy", "max_epochs": 0, "precision": "float32", "second_width": 200, "shared_width": 200, "time_limit": 1800.0}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,'geometric_mean_f1',0.5637);
INSERT INTO "benchmarks" VALUES(2,'resnet50','resnet50',2,'{"batch_size": 12, "classes": 4, "depth_divisor": 3, "epochs": 6, "first_drop": 5, "image_size": 64, "learning_rate": 0.0125, "max_epochs": 0, "momentum": 0.9, "precision": "float32", "resume": true, "second_drop": 60, "target_accuracy": 74.9, "third_drop": 80, "warmup_epochs": 2, "weight_decay": 5e-05, "width_divisor": 8}','{"nodes": 1, "ranks": 2, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 2, "share_of_system": 0.5}',300.0,'top_1_percent',74.9);
INSERT INTO "benchmarks" VALUES(2,'vgg','vgg',2,'{"batch_size": 16, "burn_in": 10, "framework": "tensorflow", "image_size": 64, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(3,'lstm','lstm',6,'{"batch_size": 32, "framework": "tensorflow", "hidden_width": 256, "learning_rate": 0.01, "precision": "float32", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(4,'alexnet','alexnet',1,'{"batch_size": 32, "burn_in": 10, "framework": "tensorflow", "image_size": 131, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(4,'googlenet','googlenet',1,'{"batch_size": 4, "burn_in": 10, "framework": "tensorflow", "image_size": 193, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(4,'lstm','lstm',1,'{"batch_size": 32, "framework": "tensorflow", "hidden_width": 256, "learning_rate": 0.01, "precision": "float32", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(4,'overfeat','overfeat',1,'{"batch_size": 16, "burn_in": 10, "framework": "tensorflow", "image_size": 103, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(4,'p1b1','p1b1',1,'{"batch_size": 20, "epochs": 30, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 60, "latent_width": 2, "learning_rate": 0.001, "loader": "numpy", "max_epochs": 0, "outer_width": 200, "precision": "float32", "time_limit": 3600.0, "weights_seed": 1}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,'pearson_correlation',0.7808);
INSERT INTO "benchmarks" VALUES(4,'p3b1','p3b1',1,'{"batch_size": 10, "epochs": 6, "first_width": 200, "framework": "tensorflow", "learning_rate": 0.03, "loader": "numpy", "max_epochs": 0, "precision": "float32", "second_width": 200, "shared_width": 200, "time_limit": 1800.0}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,'geometric_mean_f1',0.5637);
INSERT INTO "benchmarks" VALUES(4,'resnet50','resnet50',1,'{"batch_size": 12, "classes": 4, "depth_divisor": 3, "epochs": 6, "first_drop": 5, "image_size": 64, "learning_rate": 0.0125, "max_epochs": 0, "momentum": 0.9, "precision": "float32", "resume": true, "second_drop": 60, "target_accuracy": 74.9, "third_drop": 80, "warmup_epochs": 2, "weight_decay": 5e-05, "width_divisor": 8}','{"nodes": 1, "ranks": 2, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 2, "share_of_system": 0.5}',300.0,'top_1_percent',74.9);
INSERT INTO "benchmarks" VALUES(4,'vgg','vgg',1,'{"batch_size": 16, "burn_in": 10, "framework": "tensorflow", "image_size": 64, "precision": "float32", "steps": 50, "width_divisor": 4}','{"nodes": 1, "ranks": 1, "cores": 1, "gpus": 0.0, "memory_bytes": null, "slots": 4, "share_of_system": 0.25}',180.0,NULL,NULL);
CREATE TABLE blocks (
	campaign_id INTEGER NOT NULL, 
	session_number INTEGER NOT NULL, 
	slot_shape TEXT NOT NULL, 
	block_id TEXT NOT NULL, 
	job_id TEXT, 
	state TEXT NOT NULL, 
	requested_us BIGINT NOT NULL, 
	started_us BIGINT, 
	ended_us BIGINT, 
	nodes INTEGER NOT NULL, 
	message TEXT, 
	pool TEXT, 
	CONSTRAINT pk_blocks PRIMARY KEY (campaign_id, session_number, slot_shape, block_id), 
	CONSTRAINT fk_blocks_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "blocks" VALUES(1,1,'c1','0',NULL,'released',1790000059000000,1790000060000000,1790007260000000,1,NULL,NULL);
INSERT INTO "blocks" VALUES(1,2,'c1','0',NULL,'released',1790001853388036,1790001854388036,1790009054388036,1,NULL,NULL);
INSERT INTO "blocks" VALUES(2,1,'c1','0',NULL,'released',1790086459000000,1790086460000000,1790093660000000,1,NULL,NULL);
INSERT INTO "blocks" VALUES(3,1,'c1','0',NULL,'released',1790172859000000,1790172860000000,1790180060000000,1,NULL,NULL);
CREATE TABLE campaigns (
	campaign_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	uid TEXT NOT NULL, 
	campaign_yaml TEXT NOT NULL, 
	campaign_sha256 TEXT NOT NULL, 
	site_name TEXT NOT NULL, 
	site_yaml TEXT NOT NULL, 
	site_sha256 TEXT NOT NULL, 
	rulebook TEXT NOT NULL, 
	run_class TEXT NOT NULL, 
	run_directory TEXT NOT NULL, 
	data_path TEXT NOT NULL, 
	created_us BIGINT NOT NULL, 
	outcome TEXT, 
	stop_request TEXT, 
	lease_owner TEXT, 
	lease_expires_us BIGINT, 
	CONSTRAINT pk_campaigns PRIMARY KEY (campaign_id), 
	CONSTRAINT uq_campaigns_name UNIQUE (name), 
	CONSTRAINT uq_campaigns_uid UNIQUE (uid)
);
INSERT INTO "campaigns" VALUES(1,'demo','2a97516c354b68848cdbd8f54a226a0a','campaign: demo
description: All eight benchmarks at demo size
rulebook: coral2
class: base
seed: 2017
logs: all
start: synchronized
benchmarks:
- workload: p1b1
  instances: 4
  parameters:
    batch_size: 20
    outer_width: 200
    inner_width: 60
    weights_seed: 1
    epochs: 30
  data:
    directory: demo/p1b1
    generate:
      train_rows: 300
      test_rows: 100
      features: 800
  timeout: 3 min
  expected_runtime: 20 s
- workload: p3b1
  instances: 4
  parameters:
    shared_width: 200
    first_width: 200
    second_width: 200
    learning_rate: 0.03
    epochs: 6
  data:
    directory: demo/p3b1
    generate:
      site_train_rows: 900
      site_test_rows: 100
      site_classes: 6
      laterality_train_rows: 300
      laterality_test_rows: 80
      grade_train_rows: 600
      grade_test_rows: 80
  timeout: 3 min
  expected_runtime: 15 s
- workload: lstm
  instances: 4
  parameters:
    hidden_width: 256
    batch_size: 32
  timeout: 3 min
  expected_runtime: 10 s
- workload: alexnet
  instances: 2
  parameters:
    batch_size: 32
    image_size: 131
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 8 s
- workload: googlenet
  instances: 2
  parameters:
    batch_size: 4
    image_size: 193
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 9 s
- workload: overfeat
  instances: 2
  parameters:
    batch_size: 16
    image_size: 103
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 7 s
- workload: vgg
  instances: 2
  parameters:
    batch_size: 16
    image_size: 64
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 7 s
- workload: resnet50
  instances: 2
  parameters:
    epochs: 6
    batch_size: 12
    classes: 4
    image_size: 64
    width_divisor: 8
    depth_divisor: 3
    warmup_epochs: 2
    first_drop: 5
  slot:
    ranks: 2
    cores: 1
  data:
    directory: demo/resnet50
    generate:
      train_images: 480
      validation_images: 120
      classes: 4
      image_edge: 80
  timeout: 5 min
  expected_runtime: 20 s
','b01486b313601d7fb6fdf754d749a2170279fbc75b87db0fe94a8a2e14805ca1','local','site: local
scheduler: {type: local}
node: {cores: 0-3, memory: 16 GiB}
slot: {cores: 1}
paths: {runs: /runs, data: /data}
','8bbfd6b51c0ed6b0db61c08f00007c849f3be995d2f971b727574a02bc8fd054','coral2','base','/runs/demo','/data',1789999999000000,'complete',NULL,NULL,NULL);
INSERT INTO "campaigns" VALUES(2,'demo-shared','0006b276aaba9121792b606314ed1e42','campaign: demo-shared
description: All eight benchmarks at demo size
rulebook: coral2
class: base
seed: 2017
logs: all
start: synchronized
benchmarks:
- workload: p1b1
  instances: 2
  parameters:
    batch_size: 20
    outer_width: 200
    inner_width: 60
    weights_seed: 1
    epochs: 30
  data:
    directory: demo/p1b1
    generate:
      train_rows: 300
      test_rows: 100
      features: 800
  timeout: 3 min
  expected_runtime: 20 s
- workload: p3b1
  instances: 2
  parameters:
    shared_width: 200
    first_width: 200
    second_width: 200
    learning_rate: 0.03
    epochs: 6
  data:
    directory: demo/p3b1
    generate:
      site_train_rows: 900
      site_test_rows: 100
      site_classes: 6
      laterality_train_rows: 300
      laterality_test_rows: 80
      grade_train_rows: 600
      grade_test_rows: 80
  timeout: 3 min
  expected_runtime: 15 s
- workload: lstm
  instances: 2
  parameters:
    hidden_width: 256
    batch_size: 32
  timeout: 3 min
  expected_runtime: 10 s
- workload: alexnet
  instances: 2
  parameters:
    batch_size: 32
    image_size: 131
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 8 s
- workload: googlenet
  instances: 2
  parameters:
    batch_size: 4
    image_size: 193
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 9 s
- workload: overfeat
  instances: 2
  parameters:
    batch_size: 16
    image_size: 103
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 7 s
- workload: vgg
  instances: 2
  parameters:
    batch_size: 16
    image_size: 64
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 7 s
- workload: resnet50
  instances: 2
  parameters:
    epochs: 6
    batch_size: 12
    classes: 4
    image_size: 64
    width_divisor: 8
    depth_divisor: 3
    warmup_epochs: 2
    first_drop: 5
  slot:
    ranks: 2
    cores: 1
  data:
    directory: demo/resnet50
    generate:
      train_images: 480
      validation_images: 120
      classes: 4
      image_edge: 80
  timeout: 5 min
  expected_runtime: 20 s
','19c98834c11c805670ea6faa9a644774768709c20138a72b85423db8cf7cdf18','local','site: local
scheduler: {type: local}
node: {cores: 0-3, memory: 16 GiB}
slot: {cores: 1}
paths: {runs: /runs, data: /data}
','8bbfd6b51c0ed6b0db61c08f00007c849f3be995d2f971b727574a02bc8fd054','coral2','base','/runs/demo-shared','/data',1790086399000000,'exhausted',NULL,NULL,NULL);
INSERT INTO "campaigns" VALUES(3,'demo-lstm','1a866974579120237a9df54184020d8f','campaign: demo-lstm
description: All eight benchmarks at demo size
rulebook: coral2
class: base
seed: 2017
logs: all
start: synchronized
benchmarks:
- workload: lstm
  instances: 6
  parameters:
    hidden_width: 256
    batch_size: 32
  timeout: 3 min
  expected_runtime: 10 s
','24b5f48e2b8407639802ed21bf10c176f2059e5ac49966a04bd4dc726c5d68af','local','site: local
scheduler: {type: local}
node: {cores: 0-3, memory: 16 GiB}
slot: {cores: 1}
paths: {runs: /runs, data: /data}
','8bbfd6b51c0ed6b0db61c08f00007c849f3be995d2f971b727574a02bc8fd054','coral2','base','/runs/demo-lstm','/data',1790172799000000,'complete',NULL,NULL,NULL);
INSERT INTO "campaigns" VALUES(4,'demo-planned','3f8f92b0f074f4074566697c75e61832','campaign: demo-planned
description: All eight benchmarks at demo size
rulebook: coral2
class: base
seed: 2017
logs: all
start: synchronized
benchmarks:
- workload: p1b1
  instances: 1
  parameters:
    batch_size: 20
    outer_width: 200
    inner_width: 60
    weights_seed: 1
    epochs: 30
  data:
    directory: demo/p1b1
    generate:
      train_rows: 300
      test_rows: 100
      features: 800
  timeout: 3 min
  expected_runtime: 20 s
- workload: p3b1
  instances: 1
  parameters:
    shared_width: 200
    first_width: 200
    second_width: 200
    learning_rate: 0.03
    epochs: 6
  data:
    directory: demo/p3b1
    generate:
      site_train_rows: 900
      site_test_rows: 100
      site_classes: 6
      laterality_train_rows: 300
      laterality_test_rows: 80
      grade_train_rows: 600
      grade_test_rows: 80
  timeout: 3 min
  expected_runtime: 15 s
- workload: lstm
  instances: 1
  parameters:
    hidden_width: 256
    batch_size: 32
  timeout: 3 min
  expected_runtime: 10 s
- workload: alexnet
  instances: 1
  parameters:
    batch_size: 32
    image_size: 131
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 8 s
- workload: googlenet
  instances: 1
  parameters:
    batch_size: 4
    image_size: 193
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 9 s
- workload: overfeat
  instances: 1
  parameters:
    batch_size: 16
    image_size: 103
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 7 s
- workload: vgg
  instances: 1
  parameters:
    batch_size: 16
    image_size: 64
    width_divisor: 4
    steps: 50
  timeout: 3 min
  expected_runtime: 7 s
- workload: resnet50
  instances: 1
  parameters:
    epochs: 6
    batch_size: 12
    classes: 4
    image_size: 64
    width_divisor: 8
    depth_divisor: 3
    warmup_epochs: 2
    first_drop: 5
  slot:
    ranks: 2
    cores: 1
  data:
    directory: demo/resnet50
    generate:
      train_images: 480
      validation_images: 120
      classes: 4
      image_edge: 80
  timeout: 5 min
  expected_runtime: 20 s
','03316d01dd9429893e9c52a19b3a2938fe8c20b3058c5c8bf33deeaec8eaecd4','local','site: local
scheduler: {type: local}
node: {cores: 0-3, memory: 16 GiB}
slot: {cores: 1}
paths: {runs: /runs, data: /data}
','8bbfd6b51c0ed6b0db61c08f00007c849f3be995d2f971b727574a02bc8fd054','coral2','base','/runs/demo-planned','/data',1790259199000000,NULL,NULL,NULL,NULL);
CREATE TABLE curves (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	axis TEXT NOT NULL, 
	points TEXT NOT NULL, 
	CONSTRAINT pk_curves PRIMARY KEY (campaign_id, instance_id, attempt_number, name), 
	CONSTRAINT fk_curves_campaign_id_instance_id_attempt_number FOREIGN KEY(campaign_id, instance_id, attempt_number) REFERENCES attempts (campaign_id, instance_id, attempt_number)
)
 WITHOUT ROWID

;
CREATE TABLE documents (
	sha256 TEXT NOT NULL, 
	content TEXT NOT NULL, 
	CONSTRAINT pk_documents PRIMARY KEY (sha256)
)
 WITHOUT ROWID

;
INSERT INTO "documents" VALUES('046b05d8b3a3f06dbb7bff7a0d4746cddef99a5240393b734c4ba3181d1e4da9','{"cores": "3", "data": "{\"cancer_types\": 33, \"features\": 800, \"synthetic\": true, \"test_rows\": 100, \"train_rows\": 300}", "devices": null, "seen": {"cpuset": [3], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1a5631da90657745b8b55231be4047e74b51fa7cf1bc204e0dc4888ecd610626','{"cores": "2", "data": "{}", "devices": null, "seen": {"cpuset": [2], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1bb4d41417fadc32e8557aa5d55834fb1a622bd8141804836e66d308fe507653','{"cores": "1", "data": null, "devices": null, "seen": null}');
INSERT INTO "documents" VALUES('294b561e38b1bd4b474c903d67bf6c9bd4465a5a4b3bc9379e8a0ffebbb95b70','{"cores": "1", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 80, \"grade_train_rows\": 600, \"laterality_classes\": 2, \"laterality_test_rows\": 80, \"laterality_train_rows\": 300, \"site_classes\": 6, \"site_test_rows\": 100, \"site_train_rows\": 900, \"synthetic\": true}", "devices": null, "seen": {"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a','{}');
INSERT INTO "documents" VALUES('532333c29fb57e8833cd928e1fa17f7c91be752d2280791709b2f8ddbad64a43','{"cores": "0", "data": null, "devices": null, "seen": null}');
INSERT INTO "documents" VALUES('587b0d195bc0b222bd559326be166d3a9d904a4683232885002384f6e94a5a67','{"cores": "1", "data": "{\"cancer_types\": 33, \"features\": 800, \"synthetic\": true, \"test_rows\": 100, \"train_rows\": 300}", "devices": null, "seen": {"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('83258fabf090de3cb04ab74f24246c24cd7e3da4e414a93ed8fb07184a22af21','{"cores": "0", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 80, \"grade_train_rows\": 600, \"laterality_classes\": 2, \"laterality_test_rows\": 80, \"laterality_train_rows\": 300, \"site_classes\": 6, \"site_test_rows\": 100, \"site_train_rows\": 900, \"synthetic\": true}", "devices": null, "seen": {"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('8731eb6b2029847365d0cd196893aae805117395cdf1a3c593d834cd2be0201f','{"cores": "0", "data": "{}", "devices": null, "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('919a81901ae1333030404021b8f5abae9472f233cac0063bde4395b01aa0bf00','{"cores": "2", "data": null, "devices": null, "seen": null}');
INSERT INTO "documents" VALUES('926113120f361d8a786d8b2dd6211fbfdc8ac27d4a4eba8f46fe0a5130db1893','{"cores": "1", "data": "{}", "devices": null, "seen": {}}');
INSERT INTO "documents" VALUES('95ddb273b4d9eb2b472895c9aba8b60444f94f3636b4b99bc33f3c2a619ad5ce','{"cores": "3", "data": "{}", "devices": null, "seen": {"cpuset": [3], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('9ece8381a295757539dbe14e3b32efa8eabe7152b756aded5b816babc25ffb4e','{"cores": "0,1", "data": "{\"classes\": 4, \"image_edge\": 80, \"images_per_shard\": 1252, \"layout\": \"folders\", \"synthetic\": true, \"train_images\": 480, \"validation_images\": 120}", "devices": null, "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "ranks": [{"cpuset": [0]}, {"cpuset": [1]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('a3f3120694472f928a52a88dc58885eb08710950181d711c511708f8e9fdd25c','{"cores": "3", "data": null, "devices": null, "seen": null}');
INSERT INTO "documents" VALUES('a50d0e4ce2edba1869ffd2c8fd759181687867dfd5242977bf7b5622aab0ce41','{"cores": "0", "data": "{\"cancer_types\": 33, \"features\": 800, \"synthetic\": true, \"test_rows\": 100, \"train_rows\": 300}", "devices": null, "seen": {"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('af392cc99ae19a96772f94ee3883ffb491c1298fefe463c653fc65e0bbf051b9','{"cores": "2,3", "data": "{\"classes\": 4, \"image_edge\": 80, \"images_per_shard\": 1252, \"layout\": \"folders\", \"synthetic\": true, \"train_images\": 480, \"validation_images\": 120}", "devices": null, "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "ranks": [{"cpuset": [2]}, {"cpuset": [3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('c19173a69377443570f972446b89944d7c4f1bb72c713d1f23bf50794a510b37','{"cores": "3", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 80, \"grade_train_rows\": 600, \"laterality_classes\": 2, \"laterality_test_rows\": 80, \"laterality_train_rows\": 300, \"site_classes\": 6, \"site_test_rows\": 100, \"site_train_rows\": 900, \"synthetic\": true}", "devices": null, "seen": {"cpuset": [3], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('c3dadbe3051ca8b0b45cc265942eed8194f5587e4c0e80ffa3192f573ae0d967','{"cores": "1", "data": "{}", "devices": null, "seen": {"cpuset": [1], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"framework": "tensorflow", "framework_version": "2.18.1", "platform": "Linux", "precision": "float32", "python": "3.11.9", "tensor_float32": false}');
INSERT INTO "documents" VALUES('e6660bf004980d4c639a5230a2ad4217d8f913584cf12d2fe2ec94512634f688','{"cores": "0", "data": "{}", "devices": null, "seen": {"cpuset": [0], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('e77abc14740480b783af96350fd50641f7a053c9fd47deeb74c3c248b6bd8e48','{"cores": "2", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 80, \"grade_train_rows\": 600, \"laterality_classes\": 2, \"laterality_test_rows\": 80, \"laterality_train_rows\": 300, \"site_classes\": 6, \"site_test_rows\": 100, \"site_train_rows\": 900, \"synthetic\": true}", "devices": null, "seen": {"cpuset": [2], "framework": "tensorflow", "framework_version": "2.18.1", "precision": "float32", "tensor_float32": false}}');
CREATE TABLE events (
	event_id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	at_us BIGINT NOT NULL, 
	kind TEXT NOT NULL, 
	instance_id INTEGER, 
	attempt_number INTEGER, 
	from_state TEXT, 
	to_state TEXT, 
	message TEXT, 
	subject TEXT, 
	data TEXT, 
	CONSTRAINT pk_events PRIMARY KEY (event_id), 
	CONSTRAINT fk_events_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
);
INSERT INTO "events" VALUES(1,1,1789999999000001,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(2,1,1789999999000002,'session_started',NULL,NULL,NULL,NULL,'launch 1 by demo on desk',NULL,NULL);
INSERT INTO "events" VALUES(3,1,1790000060000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(4,1,1790000060000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(5,1,1790000060000274,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(6,1,1790000060000411,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(7,1,1790000060072113,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(8,1,1790000060044765,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(9,1,1790000060076245,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(10,1,1790000060084677,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(11,1,1790000697470622,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(12,1,1790000685931078,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(13,1,1790000684666095,'transition',2,1,'running','failed','loss is not a number',NULL,NULL);
INSERT INTO "events" VALUES(14,1,1790000698595139,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(15,1,1790000700599906,'transition',2,2,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(16,1,1790000700654960,'transition',2,2,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(17,1,1790001321460674,'transition',2,2,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(18,1,1790001323467009,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(19,1,1790001323467146,'transition',5,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(20,1,1790001323467283,'transition',6,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(21,1,1790001323467420,'transition',7,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(22,1,1790001323516728,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(23,1,1790001323548379,'transition',5,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(24,1,1790001323551661,'transition',6,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(25,1,1790001323518208,'transition',7,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(26,1,1790001366527070,'transition',4,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(27,1,1790001367115280,'transition',5,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(28,1,1790001366452560,'transition',6,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(29,1,1790001367364013,'transition',7,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(30,1,1790001369371579,'transition',8,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(31,1,1790001369371716,'transition',9,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(32,1,1790001369371853,'transition',10,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(33,1,1790001369371990,'transition',11,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(34,1,1790001369430498,'transition',8,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(35,1,1790001369425228,'transition',9,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(36,1,1790001369444878,'transition',10,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(37,1,1790001369427976,'transition',11,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(38,1,1790001398701825,'transition',8,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(39,1,1790001398807509,'transition',9,1,'running','lost','node failed',NULL,NULL);
INSERT INTO "events" VALUES(40,1,1790001399123981,'transition',10,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(41,1,1790001398667571,'transition',11,1,'running','timed_out','timeout',NULL,NULL);
INSERT INTO "events" VALUES(42,1,1790001401130679,'transition',9,2,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(43,1,1790001401130816,'transition',11,2,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(44,1,1790001401189243,'transition',9,2,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(45,1,1790001401200046,'transition',11,2,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(46,1,1790001430226120,'transition',9,2,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(47,1,1790001430819599,'transition',11,2,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(48,1,1790001432824781,'transition',12,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(49,1,1790001432824918,'transition',13,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(50,1,1790001432867201,'transition',12,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(51,1,1790001432879087,'transition',13,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(52,1,1790001467407349,'transition',12,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(53,1,1790001467448936,'transition',13,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(54,1,1790001469456153,'transition',14,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(55,1,1790001469456290,'transition',15,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(56,1,1790001469543474,'transition',14,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(57,1,1790001469512226,'transition',15,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(58,1,1790001549725000,'transition',14,1,'running','cancelled','cancelled',NULL,NULL);
INSERT INTO "events" VALUES(59,1,1790001551384744,'transition',15,1,'running','cancelled','cancelled',NULL,NULL);
INSERT INTO "events" VALUES(60,1,1789999999000060,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: drained',NULL,NULL);
INSERT INTO "events" VALUES(61,1,1789999999000061,'session_started',NULL,NULL,NULL,NULL,'resume 2 by demo on desk',NULL,NULL);
INSERT INTO "events" VALUES(62,1,1790001854388036,'transition',14,2,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(63,1,1790001854388173,'transition',15,2,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(64,1,1790001854468588,'transition',14,2,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(65,1,1790001854443069,'transition',15,2,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(66,1,1790001936115795,'transition',14,2,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(67,1,1790001934479992,'transition',15,2,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(68,1,1790001938123548,'transition',16,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(69,1,1790001938123685,'transition',17,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(70,1,1790001938203512,'transition',16,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(71,1,1790001938164609,'transition',17,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(72,1,1790001992217854,'transition',16,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(73,1,1790001991709995,'transition',17,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(74,1,1790001994226317,'transition',18,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(75,1,1790001994226454,'transition',19,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(76,1,1790001994266478,'transition',18,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(77,1,1790001994269553,'transition',19,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(78,1,1790002098113930,'transition',18,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(79,1,1790002099283352,'transition',19,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(80,1,1790002101288004,'transition',20,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(81,1,1790002101288141,'transition',21,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(82,1,1790002101369420,'transition',20,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(83,1,1790002101362043,'transition',21,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(84,1,1790003464667664,'transition',20,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(85,1,1790003464294772,'transition',21,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(86,1,1789999999000086,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete',NULL,NULL);
INSERT INTO "events" VALUES(87,2,1790086399000087,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(88,2,1790086399000088,'session_started',NULL,NULL,NULL,NULL,'launch 1 by demo-shared on desk',NULL,NULL);
INSERT INTO "events" VALUES(89,2,1790086399000089,'cores_shared',NULL,NULL,NULL,NULL,'another campaign, demo, runs on the same cores of this machine; both will be slower',NULL,NULL);
INSERT INTO "events" VALUES(90,2,1790086460000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(91,2,1790086460000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(92,2,1790086460072501,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(93,2,1790086460057156,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(94,2,1790087099080172,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(95,2,1790087078473218,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(96,2,1790087101083601,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(97,2,1790087101083738,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(98,2,1790087101127129,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(99,2,1790087101163947,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(100,2,1790087144646825,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(101,2,1790087143875490,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(102,2,1790087146651064,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(103,2,1790087146651201,'transition',5,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(104,2,1790087146710619,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(105,2,1790087146725735,'transition',5,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(106,2,1790087176132330,'transition',4,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(107,2,1790087176010070,'transition',5,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(108,2,1790087178140147,'transition',6,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(109,2,1790087178140284,'transition',7,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(110,2,1790087178227247,'transition',6,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(111,2,1790087178197389,'transition',7,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(112,2,1790087212506305,'transition',6,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(113,2,1790087212834161,'transition',7,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(114,2,1790087214839986,'transition',8,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(115,2,1790087214840123,'transition',9,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(116,2,1790087214911150,'transition',8,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(117,2,1790087214883570,'transition',9,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(118,2,1790087297534300,'transition',8,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(119,2,1790087294913746,'transition',9,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(120,2,1790087299538188,'transition',10,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(121,2,1790087299538325,'transition',11,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(122,2,1790087299595647,'transition',10,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(123,2,1790087299590467,'transition',11,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(124,2,1790087353776343,'transition',10,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(125,2,1790087353649847,'transition',11,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(126,2,1790087355781959,'transition',12,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(127,2,1790087355782096,'transition',13,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(128,2,1790087355864057,'transition',12,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(129,2,1790087355869037,'transition',13,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(130,2,1790087458499129,'transition',12,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(131,2,1790087459086168,'transition',13,1,'running','failed','exit code 3',NULL,NULL);
INSERT INTO "events" VALUES(132,2,1790087461094761,'transition',14,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(133,2,1790087461094898,'transition',15,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(134,2,1790087461167958,'transition',14,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(135,2,1790087461162320,'transition',15,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(136,2,1790088793736209,'transition',14,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(137,2,1790088813562223,'transition',15,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(138,2,1790086399000138,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: some instances exhausted',NULL,NULL);
INSERT INTO "events" VALUES(139,3,1790172799000139,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(140,3,1790172799000140,'session_started',NULL,NULL,NULL,NULL,'launch 1 by demo-lstm on desk',NULL,NULL);
INSERT INTO "events" VALUES(141,3,1790172860000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(142,3,1790172860000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(143,3,1790172860000274,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(144,3,1790172860000411,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(145,3,1790172860054882,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(146,3,1790172860062319,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(147,3,1790172860061154,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(148,3,1790172860067059,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(149,3,1790172889515536,'transition',0,1,'running','failed','loss is not a number',NULL,NULL);
INSERT INTO "events" VALUES(150,3,1790172889322253,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(151,3,1790172889035011,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(152,3,1790172889239739,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(153,3,1790172891521087,'transition',0,2,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(154,3,1790172891521224,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(155,3,1790172891521361,'transition',5,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(156,3,1790172891594344,'transition',0,2,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(157,3,1790172891604828,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(158,3,1790172891600236,'transition',5,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(159,3,1790172920757857,'transition',0,2,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(160,3,1790172920889658,'transition',4,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(161,3,1790172920973357,'transition',5,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(162,3,1790172799000162,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: complete',NULL,NULL);
INSERT INTO "events" VALUES(163,4,1790259199000163,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(164,1,1795514544610854,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete','session 2','{"ends_sha256": "016be11d39655a42de515c6f190d5ed4367f650faec0556f6d73470ff243ee08", "events": [5, "711747819f61bccdad4f3224a5b61172e1d5e68e9c6fc41388ec3fbd02f05daa"], "open_blocks": [], "outcome": "complete", "row_parts": ["6fca63b979d3e4d6a4ae5cb6bf8be89d379737daa7ba979f182781e553f917a6", "9b4451f62eaab7feb03521658c37071817846080fca80608fa414a9323b0aa31"], "rows_sha256": "91114cc324af5a7a517073ff2bfe0700e8f65b46bae756ffe2f4264a4608e338", "session": 2}');
INSERT INTO "events" VALUES(165,2,1795514544628069,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: exhausted','session 1','{"ends_sha256": "75a827dff2597cfe520ffae1a8894d7660d19db884e94a25546e447bbfe0ad90", "events": [4, "1f94bbd11201c67d4bf1ed1ca4419a59003acdb8feaa2ca1f743620057fe854c"], "open_blocks": [], "outcome": "exhausted", "row_parts": ["39e89fd7d73a272e944f1da4f35e425d26d80cde7ee13781c9a90bdc8b03a893", "c583f1c8a93fb63af4f455fa8b834c5a8990a326acef9d76e04ad6d76905ac3b"], "rows_sha256": "c4f5cfb9055e1b99d8eb90cec5348dac4f6d67f57ee53f3e89beb4a908ece17d", "session": 1}');
INSERT INTO "events" VALUES(166,3,1795514544638471,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: complete','session 1','{"ends_sha256": "8a6fc702da3794c72400d400a644e6d02776f80337aeb506c3e6614d51c7e652", "events": [3, "ab78b7f7c8111c0a7f70d6e41b8e1b37de7ee290c2120f5ce719189759ac0b39"], "open_blocks": [], "outcome": "complete", "row_parts": ["effc82ff05bc9241fd3d0935ccfbcacfd64275eec03902ac88b03b21848b26f6", "3e701260946be578138f400592878d1bfe841dc91b689bc0a248feb94f4e0576"], "rows_sha256": "682d6698be847ef4a56b0af811751d1cde2a9e43efee545f397d932697cdeec8", "session": 1}');
CREATE TABLE instances (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	benchmark TEXT NOT NULL, 
	benchmark_index INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	accepted_attempt INTEGER, 
	CONSTRAINT pk_instances PRIMARY KEY (campaign_id, instance_id), 
	CONSTRAINT uq_instances_campaign_seed UNIQUE (campaign_id, seed), 
	CONSTRAINT uq_instances_campaign_benchmark_number UNIQUE (campaign_id, benchmark, benchmark_index), 
	CONSTRAINT fk_instances_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "instances" VALUES(1,0,'p1b1',0,2017,'done',1);
INSERT INTO "instances" VALUES(1,1,'p1b1',1,2018,'done',1);
INSERT INTO "instances" VALUES(1,2,'p1b1',2,2019,'done',2);
INSERT INTO "instances" VALUES(1,3,'p1b1',3,2020,'done',1);
INSERT INTO "instances" VALUES(1,4,'p3b1',0,2021,'done',1);
INSERT INTO "instances" VALUES(1,5,'p3b1',1,2022,'done',1);
INSERT INTO "instances" VALUES(1,6,'p3b1',2,2023,'done',1);
INSERT INTO "instances" VALUES(1,7,'p3b1',3,2024,'done',1);
INSERT INTO "instances" VALUES(1,8,'lstm',0,2025,'done',1);
INSERT INTO "instances" VALUES(1,9,'lstm',1,2026,'done',2);
INSERT INTO "instances" VALUES(1,10,'lstm',2,2027,'done',1);
INSERT INTO "instances" VALUES(1,11,'lstm',3,2028,'done',2);
INSERT INTO "instances" VALUES(1,12,'alexnet',0,2029,'done',1);
INSERT INTO "instances" VALUES(1,13,'alexnet',1,2030,'done',1);
INSERT INTO "instances" VALUES(1,14,'googlenet',0,2031,'done',2);
INSERT INTO "instances" VALUES(1,15,'googlenet',1,2032,'done',2);
INSERT INTO "instances" VALUES(1,16,'overfeat',0,2033,'done',1);
INSERT INTO "instances" VALUES(1,17,'overfeat',1,2034,'done',1);
INSERT INTO "instances" VALUES(1,18,'vgg',0,2035,'done',1);
INSERT INTO "instances" VALUES(1,19,'vgg',1,2036,'done',1);
INSERT INTO "instances" VALUES(1,20,'resnet50',0,2037,'done',1);
INSERT INTO "instances" VALUES(1,21,'resnet50',1,2038,'done',1);
INSERT INTO "instances" VALUES(2,0,'p1b1',0,2017,'done',1);
INSERT INTO "instances" VALUES(2,1,'p1b1',1,2018,'done',1);
INSERT INTO "instances" VALUES(2,2,'p3b1',0,2019,'done',1);
INSERT INTO "instances" VALUES(2,3,'p3b1',1,2020,'done',1);
INSERT INTO "instances" VALUES(2,4,'lstm',0,2021,'done',1);
INSERT INTO "instances" VALUES(2,5,'lstm',1,2022,'done',1);
INSERT INTO "instances" VALUES(2,6,'alexnet',0,2023,'done',1);
INSERT INTO "instances" VALUES(2,7,'alexnet',1,2024,'done',1);
INSERT INTO "instances" VALUES(2,8,'googlenet',0,2025,'done',1);
INSERT INTO "instances" VALUES(2,9,'googlenet',1,2026,'done',1);
INSERT INTO "instances" VALUES(2,10,'overfeat',0,2027,'done',1);
INSERT INTO "instances" VALUES(2,11,'overfeat',1,2028,'done',1);
INSERT INTO "instances" VALUES(2,12,'vgg',0,2029,'done',1);
INSERT INTO "instances" VALUES(2,13,'vgg',1,2030,'exhausted',NULL);
INSERT INTO "instances" VALUES(2,14,'resnet50',0,2031,'done',1);
INSERT INTO "instances" VALUES(2,15,'resnet50',1,2032,'done',1);
INSERT INTO "instances" VALUES(3,0,'lstm',0,2017,'done',2);
INSERT INTO "instances" VALUES(3,1,'lstm',1,2018,'done',1);
INSERT INTO "instances" VALUES(3,2,'lstm',2,2019,'done',1);
INSERT INTO "instances" VALUES(3,3,'lstm',3,2020,'done',1);
INSERT INTO "instances" VALUES(3,4,'lstm',4,2021,'done',1);
INSERT INTO "instances" VALUES(3,5,'lstm',5,2022,'done',1);
INSERT INTO "instances" VALUES(4,0,'p1b1',0,2017,'planned',NULL);
INSERT INTO "instances" VALUES(4,1,'p3b1',0,2018,'planned',NULL);
INSERT INTO "instances" VALUES(4,2,'lstm',0,2019,'planned',NULL);
INSERT INTO "instances" VALUES(4,3,'alexnet',0,2020,'planned',NULL);
INSERT INTO "instances" VALUES(4,4,'googlenet',0,2021,'planned',NULL);
INSERT INTO "instances" VALUES(4,5,'overfeat',0,2022,'planned',NULL);
INSERT INTO "instances" VALUES(4,6,'vgg',0,2023,'planned',NULL);
INSERT INTO "instances" VALUES(4,7,'resnet50',0,2024,'planned',NULL);
CREATE TABLE metrics (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	value FLOAT, 
	unit TEXT NOT NULL, 
	CONSTRAINT pk_metrics PRIMARY KEY (campaign_id, instance_id, attempt_number, name), 
	CONSTRAINT fk_metrics_campaign_id_instance_id_attempt_number FOREIGN KEY(campaign_id, instance_id, attempt_number) REFERENCES attempts (campaign_id, instance_id, attempt_number)
)
 WITHOUT ROWID

;
INSERT INTO "metrics" VALUES(1,0,1,'epochs_run',30.0,'');
INSERT INTO "metrics" VALUES(1,0,1,'loss',0.134777,'');
INSERT INTO "metrics" VALUES(1,1,1,'epochs_run',30.0,'');
INSERT INTO "metrics" VALUES(1,1,1,'loss',0.643033,'');
INSERT INTO "metrics" VALUES(1,2,2,'epochs_run',30.0,'');
INSERT INTO "metrics" VALUES(1,2,2,'loss',0.478251,'');
INSERT INTO "metrics" VALUES(1,3,1,'epochs_run',30.0,'');
INSERT INTO "metrics" VALUES(1,3,1,'loss',0.538078,'');
INSERT INTO "metrics" VALUES(1,4,1,'epochs_run',6.0,'');
INSERT INTO "metrics" VALUES(1,4,1,'loss',0.725585,'');
INSERT INTO "metrics" VALUES(1,5,1,'epochs_run',6.0,'');
INSERT INTO "metrics" VALUES(1,5,1,'loss',0.239393,'');
INSERT INTO "metrics" VALUES(1,6,1,'epochs_run',6.0,'');
INSERT INTO "metrics" VALUES(1,6,1,'loss',0.344466,'');
INSERT INTO "metrics" VALUES(1,7,1,'epochs_run',6.0,'');
INSERT INTO "metrics" VALUES(1,7,1,'loss',0.299716,'');
INSERT INTO "metrics" VALUES(1,8,1,'loss',0.662345,'');
INSERT INTO "metrics" VALUES(1,9,2,'loss',0.255782,'');
INSERT INTO "metrics" VALUES(1,10,1,'loss',0.478707,'');
INSERT INTO "metrics" VALUES(1,11,2,'loss',0.33963,'');
INSERT INTO "metrics" VALUES(1,12,1,'loss',0.463169,'');
INSERT INTO "metrics" VALUES(1,13,1,'loss',0.200307,'');
INSERT INTO "metrics" VALUES(1,14,2,'loss',0.194005,'');
INSERT INTO "metrics" VALUES(1,15,2,'loss',0.233364,'');
INSERT INTO "metrics" VALUES(1,16,1,'loss',0.681294,'');
INSERT INTO "metrics" VALUES(1,17,1,'loss',0.850627,'');
INSERT INTO "metrics" VALUES(1,18,1,'loss',0.349889,'');
INSERT INTO "metrics" VALUES(1,19,1,'loss',0.52578,'');
INSERT INTO "metrics" VALUES(1,20,1,'epochs_run',6.0,'');
INSERT INTO "metrics" VALUES(1,20,1,'loss',0.608659,'');
INSERT INTO "metrics" VALUES(1,21,1,'epochs_run',6.0,'');
INSERT INTO "metrics" VALUES(1,21,1,'loss',0.110174,'');
INSERT INTO "metrics" VALUES(2,0,1,'epochs_run',30.0,'');
INSERT INTO "metrics" VALUES(2,0,1,'loss',0.341129,'');
INSERT INTO "metrics" VALUES(2,1,1,'epochs_run',30.0,'');
INSERT INTO "metrics" VALUES(2,1,1,'loss',0.548578,'');
INSERT INTO "metrics" VALUES(2,2,1,'epochs_run',4.0,'');
INSERT INTO "metrics" VALUES(2,2,1,'loss',0.762775,'');
INSERT INTO "metrics" VALUES(2,3,1,'epochs_run',6.0,'');
INSERT INTO "metrics" VALUES(2,3,1,'loss',0.886818,'');
INSERT INTO "metrics" VALUES(2,4,1,'loss',0.823507,'');
INSERT INTO "metrics" VALUES(2,5,1,'loss',0.186306,'');
INSERT INTO "metrics" VALUES(2,6,1,'loss',0.1394,'');
INSERT INTO "metrics" VALUES(2,7,1,'loss',0.355036,'');
INSERT INTO "metrics" VALUES(2,8,1,'loss',0.477096,'');
INSERT INTO "metrics" VALUES(2,9,1,'loss',0.822227,'');
INSERT INTO "metrics" VALUES(2,10,1,'loss',0.282504,'');
INSERT INTO "metrics" VALUES(2,11,1,'loss',0.601743,'');
INSERT INTO "metrics" VALUES(2,12,1,'loss',0.247067,'');
INSERT INTO "metrics" VALUES(2,14,1,'epochs_run',6.0,'');
INSERT INTO "metrics" VALUES(2,14,1,'loss',0.103705,'');
INSERT INTO "metrics" VALUES(2,15,1,'epochs_run',6.0,'');
INSERT INTO "metrics" VALUES(2,15,1,'loss',0.11559,'');
INSERT INTO "metrics" VALUES(2,15,1,'resumed_from_epoch',3.0,'');
INSERT INTO "metrics" VALUES(3,0,2,'loss',0.321605,'');
INSERT INTO "metrics" VALUES(3,1,1,'loss',0.616901,'');
INSERT INTO "metrics" VALUES(3,2,1,'loss',0.884628,'');
INSERT INTO "metrics" VALUES(3,3,1,'loss',0.467046,'');
INSERT INTO "metrics" VALUES(3,4,1,'loss',0.555162,'');
INSERT INTO "metrics" VALUES(3,5,1,'loss',0.583004,'');
CREATE TABLE points (
	campaign_id INTEGER NOT NULL, 
	benchmark TEXT NOT NULL, 
	axis TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	sweep TEXT NOT NULL, 
	value TEXT NOT NULL, 
	number FLOAT, 
	CONSTRAINT pk_points PRIMARY KEY (campaign_id, benchmark, axis), 
	CONSTRAINT fk_points_campaign_id_benchmark FOREIGN KEY(campaign_id, benchmark) REFERENCES benchmarks (campaign_id, benchmark)
)
 WITHOUT ROWID

;
CREATE TABLE samples (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	quantity TEXT NOT NULL, 
	node TEXT NOT NULL, 
	device TEXT NOT NULL, 
	unit TEXT NOT NULL, 
	source TEXT NOT NULL, 
	begin_us BIGINT NOT NULL, 
	points TEXT NOT NULL, 
	CONSTRAINT pk_samples PRIMARY KEY (campaign_id, instance_id, attempt_number, quantity, node, device), 
	CONSTRAINT fk_samples_campaign_id_instance_id_attempt_number FOREIGN KEY(campaign_id, instance_id, attempt_number) REFERENCES attempts (campaign_id, instance_id, attempt_number)
)
 WITHOUT ROWID

;
CREATE TABLE sessions (
	campaign_id INTEGER NOT NULL, 
	session_number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	host TEXT NOT NULL, 
	pid INTEGER NOT NULL, 
	version TEXT NOT NULL, 
	slots INTEGER, 
	started_us BIGINT NOT NULL, 
	ended_us BIGINT, 
	outcome TEXT, 
	CONSTRAINT pk_sessions PRIMARY KEY (campaign_id, session_number), 
	CONSTRAINT fk_sessions_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "sessions" VALUES(1,1,'launch','desk',4711,'0.1.0',4,1790000059000000,1790001554388036,'drained');
INSERT INTO "sessions" VALUES(1,2,'resume','desk',4711,'0.1.0',4,1790001853388036,1790003467674087,'complete');
INSERT INTO "sessions" VALUES(2,1,'launch','desk',4711,'0.1.0',4,1790086459000000,1790088816569952,'exhausted');
INSERT INTO "sessions" VALUES(3,1,'launch','desk',4711,'0.1.0',4,1790172859000000,1790172923982325,'complete');
CREATE INDEX ix_instances_campaign_state_benchmark ON instances (campaign_id, state, benchmark);
CREATE INDEX ix_events_noted ON events (campaign_id, event_id) WHERE kind <> 'transition';
CREATE INDEX ix_events_superseded ON events (campaign_id, instance_id) WHERE kind = 'instance_superseded';
CREATE INDEX ix_events_campaign_instance ON events (campaign_id, instance_id);
CREATE INDEX ix_events_campaign_kind ON events (campaign_id, kind) WHERE kind <> 'transition';
CREATE INDEX ix_attempts_state_campaign ON attempts (state, campaign_id);
CREATE INDEX ix_attempts_campaign_reason ON attempts (campaign_id, failure_reason) WHERE failure_reason IS NOT NULL;
CREATE INDEX ix_attempts_judged ON attempts (campaign_id, observation_sha256, session_number, node, state, fom_seconds, accuracy, run_start_us, run_stop_us, timed_window_start_us, timed_window_stop_us, submitted_us, process_start_us, process_stop_us, received_us, clock_offset_max_us, cpu_seconds, run_start_arrived_us, timed_window_start_arrived_us, timed_window_stop_arrived_us, run_stop_arrived_us, run_start_cpu_seconds, timed_window_stop_cpu_seconds, run_stop_cpu_seconds, clock_offset_min_us) WHERE received_us IS NOT NULL;
CREATE INDEX ix_metrics_judged ON metrics (campaign_id, name, value, instance_id, attempt_number) WHERE name IN ('epochs_run', 'resumed_from_epoch');
CREATE VIEW accepted AS
SELECT c.name AS campaign_name, i.benchmark, i.benchmark_index, i.seed, a.*
FROM attempts a
JOIN instances i
  ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id
  AND i.accepted_attempt = a.attempt_number
JOIN campaigns c ON c.campaign_id = a.campaign_id;
CREATE VIEW counted AS
SELECT * FROM accepted a
WHERE NOT EXISTS (
  SELECT 1 FROM events e
  WHERE e.campaign_id = a.campaign_id AND e.instance_id = a.instance_id AND e.kind = 'instance_superseded'
);
CREATE TRIGGER attempts_final BEFORE UPDATE ON attempts WHEN OLD.state IN ('succeeded', 'failed', 'timed_out', 'lost', 'cancelled') BEGIN SELECT RAISE(ABORT, 'a final attempt never changes'); END;
CREATE TRIGGER attempts_kept BEFORE DELETE ON attempts WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'attempts are never deleted'); END;
CREATE TRIGGER instances_accepted BEFORE UPDATE ON instances WHEN OLD.accepted_attempt IS NOT NULL BEGIN SELECT RAISE(ABORT, 'an instance is accepted once'); END;
CREATE TRIGGER metrics_unchanged BEFORE UPDATE ON metrics WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'metrics are never changed'); END;
CREATE TRIGGER metrics_kept BEFORE DELETE ON metrics WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'metrics are never deleted'); END;
CREATE TRIGGER samples_unchanged BEFORE UPDATE ON samples WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'samples are never changed'); END;
CREATE TRIGGER samples_kept BEFORE DELETE ON samples WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'samples are never deleted'); END;
CREATE TRIGGER curves_unchanged BEFORE UPDATE ON curves WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'curves are never changed'); END;
CREATE TRIGGER curves_kept BEFORE DELETE ON curves WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'curves are never deleted'); END;
CREATE TRIGGER events_unchanged BEFORE UPDATE ON events WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_kept BEFORE DELETE ON events WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER attempts_not_replaced BEFORE INSERT ON attempts WHEN EXISTS (SELECT 1 FROM attempts WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number) OR EXISTS (SELECT 1 FROM attempts WHERE token = NEW.token) BEGIN SELECT RAISE(ABORT, 'attempts: this row is there already'); END;
CREATE TRIGGER instances_not_replaced BEFORE INSERT ON instances WHEN EXISTS (SELECT 1 FROM instances WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id) OR EXISTS (SELECT 1 FROM instances WHERE campaign_id = NEW.campaign_id AND seed = NEW.seed) OR EXISTS (SELECT 1 FROM instances WHERE campaign_id = NEW.campaign_id AND benchmark = NEW.benchmark AND benchmark_index = NEW.benchmark_index) BEGIN SELECT RAISE(ABORT, 'instances: this row is there already'); END;
CREATE TRIGGER metrics_not_replaced BEFORE INSERT ON metrics WHEN EXISTS (SELECT 1 FROM metrics WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number AND name = NEW.name) BEGIN SELECT RAISE(ABORT, 'metrics: this row is there already'); END;
CREATE TRIGGER samples_not_replaced BEFORE INSERT ON samples WHEN EXISTS (SELECT 1 FROM samples WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number AND quantity = NEW.quantity AND node = NEW.node AND device = NEW.device) BEGIN SELECT RAISE(ABORT, 'samples: this row is there already'); END;
CREATE TRIGGER curves_not_replaced BEFORE INSERT ON curves WHEN EXISTS (SELECT 1 FROM curves WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number AND name = NEW.name) BEGIN SELECT RAISE(ABORT, 'curves: this row is there already'); END;
CREATE TRIGGER events_not_replaced BEFORE INSERT ON events WHEN EXISTS (SELECT 1 FROM events WHERE event_id = NEW.event_id) BEGIN SELECT RAISE(ABORT, 'events: this row is there already'); END;
COMMIT;
